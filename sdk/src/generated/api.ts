// Generated from openapi/openapi.json by npm run gen. Do not edit.

export interface paths {
    "/api/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create an account */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Log in */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who you are, your plan, and what is left of its limits */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List posts */
        get: operations["listPosts"];
        put?: never;
        /**
         * Create a post
         * @description With status "published" it is published to all sites at once; with "scheduled" when scheduled_at comes.
         */
        post: operations["createPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a post */
        get: operations["getPost"];
        put?: never;
        post?: never;
        /**
         * Delete a post for good
         * @description The sites that have the post are told with `post.deleted`.
         */
        delete: operations["deletePost"];
        options?: never;
        head?: never;
        /**
         * Change a post
         * @description Any subset of the fields; `meta` may be partial. A change to a published post is sent to the sites that have it. Status "draft" takes a published post off the sites.
         */
        patch: operations["updatePost"];
        trace?: never;
    };
    "/api/posts/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a post
         * @description To the named sites, or to all that are not inactive. The deliveries are on record when this answers.
         */
        post: operations["publishPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the connected sites */
        get: operations["listSites"];
        put?: never;
        /**
         * Connect a site
         * @description Generates the API key and the webhook secret. The webhook_url must be https, unless the operator allows local targets.
         */
        post: operations["createSite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sites/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a site with its secrets */
        get: operations["getSite"];
        put?: never;
        post?: never;
        /** Disconnect a site */
        delete: operations["deleteSite"];
        options?: never;
        head?: never;
        /**
         * Change a site
         * @description Status "inactive" pauses the site: pending deliveries wait until it is "active" again.
         */
        patch: operations["updateSite"];
        trace?: never;
    };
    "/api/sites/{id}/rotate-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the API key and the webhook secret */
        post: operations["rotateSiteKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sites/{id}/test-delivery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test delivery
         * @description Sends one `site.test` webhook now and answers with what the site answered. A failure is a result too: the status is 200 in both cases.
         */
        post: operations["testSiteDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Totals of a period, in all and per site
         * @description Counted by the hour in which a delivery finished, in UTC.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Deliveries over time */
        get: operations["getDeliveriesOverTime"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/posts/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A post's deliveries with their history */
        get: operations["getPostDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Failed deliveries */
        get: operations["listFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/posts/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a post's failed deliveries again
         * @description Each gets a fresh set of four attempts. Superseded ones and those of deleted sites are left alone.
         */
        post: operations["retryPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pull/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the site's published posts */
        get: operations["pullPosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pull/posts/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get one of the posts of the site */
        get: operations["pullPost"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pull/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what became of a post on the site
         * @description "delivered" ends a pending delivery, or records one for a post that was pulled; "failed" keeps the message and leaves retries running.
         */
        post: operations["confirmDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Session: {
            user: components["schemas"]["User"];
            /** @description A JWT for the Management API. */
            token: string;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00.000Z
             */
            expires_at: string;
        };
        User: {
            /**
             * Format: uuid
             * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
             */
            id: string;
            name: string;
            email: string;
        };
        Error: {
            error: string;
            message: string;
            /**
             * @description Dotted path of the offending field.
             * @example meta.description
             */
            field?: string;
            /** @description Present in a 500. */
            request_id?: string;
        };
        Register: {
            name: string;
            /**
             * Format: email
             * @example ada@example.com
             */
            email: string;
            password: string;
        };
        Login: {
            email: string;
            password: string;
        };
        Account: {
            user: components["schemas"]["User"];
            /** @enum {string} */
            plan: "starter" | "pro" | "agency";
            limits: {
                /** @description The plan's limit and what is left of it; null when nothing is counted. */
                management: {
                    limit: number;
                    remaining: number;
                    reset_seconds: number;
                } | null;
            };
        };
        Post: {
            /**
             * Format: uuid
             * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
             */
            id: string;
            /** @description Starts at 1; rises with every change. */
            version: number;
            slug: string;
            title: string;
            excerpt: string;
            body: {
                html: string;
                markdown: string;
                /**
                 * @description A rich-text document as Tiptap and ProseMirror write it.
                 * @example {
                 *       "type": "doc",
                 *       "content": [
                 *         {
                 *           "type": "paragraph",
                 *           "content": [
                 *             {
                 *               "type": "text",
                 *               "text": "Hello"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                json: {
                    [key: string]: unknown;
                };
            };
            meta: {
                title?: string;
                description?: string;
                og_image?: string;
                canonical_url?: string;
            };
            tags: string[];
            /** @enum {string} */
            status: "draft" | "scheduled" | "published";
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00.000Z
             */
            scheduled_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00.000Z
             */
            published_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00.000Z
             */
            updated_at: string;
        };
        Pagination: {
            page: number;
            limit: number;
            total: number;
            pages: number;
        };
        PostWithDeliveries: components["schemas"]["Post"] & {
            /** @description The newest delivery per site. */
            deliveries: {
                /**
                 * Format: uuid
                 * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
                 */
                site_id: string;
                /** @enum {string} */
                status: "pending" | "delivered" | "delivered_retry" | "failed";
                /**
                 * Format: date-time
                 * @example 2026-11-01T09:30:00.000Z
                 */
                delivered_at: string | null;
            }[];
        };
        CreatePost: {
            title: string;
            slug?: string;
            excerpt?: string;
            /** @description Any of the three forms; those not given are derived. Of several, the richest is the source (json, html, markdown), and text that is given in another form is kept as given. */
            body?: {
                html?: string;
                markdown?: string;
                /**
                 * @description A rich-text document as Tiptap and ProseMirror write it.
                 * @example {
                 *       "type": "doc",
                 *       "content": [
                 *         {
                 *           "type": "paragraph",
                 *           "content": [
                 *             {
                 *               "type": "text",
                 *               "text": "Hello"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                json?: {
                    [key: string]: unknown;
                };
            };
            meta?: {
                title?: string | null;
                description?: string | null;
                og_image?: "" | string | null;
                canonical_url?: "" | string | null;
            };
            tags?: string[];
            /** @enum {string} */
            status?: "draft" | "scheduled" | "published";
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            scheduled_at?: string;
            /** @description Read-only: accepted and ignored. */
            readonly id?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly version?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly published_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly created_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly updated_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly deliveries?: unknown;
        };
        UpdatePost: {
            title?: string;
            slug?: string;
            excerpt?: string;
            /** @description Any of the three forms; those not given are derived. Of several, the richest is the source (json, html, markdown), and text that is given in another form is kept as given. */
            body?: {
                html?: string;
                markdown?: string;
                /**
                 * @description A rich-text document as Tiptap and ProseMirror write it.
                 * @example {
                 *       "type": "doc",
                 *       "content": [
                 *         {
                 *           "type": "paragraph",
                 *           "content": [
                 *             {
                 *               "type": "text",
                 *               "text": "Hello"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                json?: {
                    [key: string]: unknown;
                };
            };
            meta?: {
                title?: string | null;
                description?: string | null;
                og_image?: "" | string | null;
                canonical_url?: "" | string | null;
            };
            tags?: string[];
            /** @enum {string} */
            status?: "draft" | "scheduled" | "published";
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            scheduled_at?: string;
            /** @description Read-only: accepted and ignored. */
            readonly id?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly version?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly published_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly created_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly updated_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly deliveries?: unknown;
        };
        Dispatched: {
            /**
             * Format: uuid
             * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
             */
            post_id: string;
            dispatched_to: {
                /**
                 * Format: uuid
                 * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
                 */
                site_id: string;
                /** @enum {string} */
                status: "pending";
            }[];
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00.000Z
             */
            estimated_delivery: string;
        };
        PublishPost: {
            site_ids?: string[];
        };
        Site: {
            /**
             * Format: uuid
             * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
             */
            id: string;
            name: string;
            url: string;
            webhook_url: string;
            niche: string;
            /** @enum {string} */
            platform: "nextjs" | "wordpress" | "gatsby" | "sveltekit" | "custom";
            /** @enum {string} */
            status: "active" | "inactive" | "error";
            delivery_stats: {
                /** @description Finished deliveries. */
                total: number;
                /** @description Percent, one decimal; null when nothing has finished. */
                success_rate: number | null;
                /**
                 * Format: date-time
                 * @example 2026-11-01T09:30:00.000Z
                 */
                last_delivery: string | null;
            };
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00.000Z
             */
            created_at: string;
        };
        SiteWithSecrets: components["schemas"]["Site"] & {
            /** @example pr_… */
            api_key: string;
            /** @example whsec_… */
            webhook_secret: string;
        };
        CreateSite: {
            name: string;
            /**
             * Format: uri
             * @example https://blog.example.com
             */
            url: string;
            /**
             * Format: uri
             * @example https://blog.example.com
             */
            webhook_url: string;
            /** @enum {string} */
            platform?: "nextjs" | "wordpress" | "gatsby" | "sveltekit" | "custom";
            niche?: string;
            /** @description Read-only: accepted and ignored. */
            readonly status?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly id?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly api_key?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly webhook_secret?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly delivery_stats?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly created_at?: unknown;
        };
        UpdateSite: {
            name?: string;
            /**
             * Format: uri
             * @example https://blog.example.com
             */
            url?: string;
            /**
             * Format: uri
             * @example https://blog.example.com
             */
            webhook_url?: string;
            /** @enum {string} */
            platform?: "nextjs" | "wordpress" | "gatsby" | "sveltekit" | "custom";
            niche?: string;
            /** @enum {string} */
            status?: "active" | "inactive" | "error";
            /** @description Read-only: accepted and ignored. */
            readonly id?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly api_key?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly webhook_secret?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly delivery_stats?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly created_at?: unknown;
        };
        RotatedKeys: {
            /**
             * Format: uuid
             * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
             */
            site_id: string;
            new_api_key: string;
            new_webhook_secret: string;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00.000Z
             */
            rotated_at: string;
            warning: string;
        };
        TestDelivery: {
            success: boolean;
            response_code: number | null;
            response_time_ms: number;
            /** @description The sample post, when it succeeded. */
            payload_sent?: {
                [key: string]: unknown;
            };
            message?: string;
            error?: string;
            troubleshooting?: string;
        };
        Overview: {
            period: {
                /**
                 * Format: date-time
                 * @example 2026-11-01T09:30:00.000Z
                 */
                from: string;
                /**
                 * Format: date-time
                 * @example 2026-11-01T09:30:00.000Z
                 */
                to: string;
            };
            totals: {
                /** @description Finished deliveries. */
                deliveries: number;
                successful: number;
                failed: number;
                /** @description Those that needed more than one attempt. */
                retried: number;
                /** @description Percent of finished deliveries, one decimal; null when none has finished. */
                success_rate: number | null;
                /** @description Mean response time of successful attempts; null when there are none. */
                avg_delivery_ms: number | null;
                posts_published: number;
            };
            sites: {
                /**
                 * Format: uuid
                 * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
                 */
                id: string;
                name: string;
                deliveries: number;
                /** @description Percent of finished deliveries, one decimal; null when none has finished. */
                success_rate: number | null;
            }[];
        };
        DeliveriesOverTime: {
            /** @enum {string} */
            granularity: "hour" | "day" | "week" | "month";
            /**
             * Format: uuid
             * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
             */
            site_id: string | null;
            data: {
                /**
                 * @description The beginning of the unit: a date, for hours a time.
                 * @example 2026-11-01
                 */
                date: string;
                delivered: number;
                failed: number;
                retried: number;
                /** @description Mean response time of successful attempts; null when there are none. */
                avg_ms: number | null;
            }[];
        };
        PostDeliveries: {
            /**
             * Format: uuid
             * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
             */
            post_id: string;
            post_title: string;
            deliveries: {
                /**
                 * Format: uuid
                 * @description The X-Service-Delivery of its requests.
                 * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
                 */
                id: string;
                /** @enum {string} */
                event: "post.published" | "post.updated" | "post.deleted";
                /**
                 * Format: uuid
                 * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
                 */
                site_id: string;
                site_name: string;
                /** @enum {string} */
                status: "pending" | "delivered" | "delivered_retry" | "failed";
                attempts: number;
                /**
                 * Format: date-time
                 * @example 2026-11-01T09:30:00.000Z
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @example 2026-11-01T09:30:00.000Z
                 */
                delivered_at: string | null;
                /**
                 * Format: date-time
                 * @example 2026-11-01T09:30:00.000Z
                 */
                next_attempt_at: string | null;
                response_code: number | null;
                response_time_ms: number | null;
                last_error: string | null;
                /** @description What the site said when it confirmed. */
                metadata?: unknown;
                /** @description Every attempt, once there was a failed one. */
                history?: {
                    attempt: number;
                    /**
                     * Format: date-time
                     * @example 2026-11-01T09:30:00.000Z
                     */
                    at: string;
                    code: number | null;
                    error: string | null;
                }[];
            }[];
        };
        Failures: {
            failures: {
                /**
                 * Format: uuid
                 * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
                 */
                post_id: string;
                post_title: string;
                /**
                 * Format: uuid
                 * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
                 */
                site_id: string;
                /**
                 * Format: date-time
                 * @example 2026-11-01T09:30:00.000Z
                 */
                failed_at: string;
                attempts: number;
                last_error: string | null;
                last_response_code: number | null;
                /** @description False when a newer version has arrived, or the post or the site is deleted. */
                can_retry: boolean;
            }[];
        };
        RetryQueued: {
            /**
             * Format: uuid
             * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
             */
            job_id: string;
            /** @enum {string} */
            status: "queued";
            message: string;
        };
        Retry: {
            site_id?: string;
        };
        PulledPosts: {
            posts: {
                /**
                 * Format: uuid
                 * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
                 */
                id: string;
                slug: string;
                title: string;
                excerpt: string;
                /**
                 * Format: date-time
                 * @example 2026-11-01T09:30:00.000Z
                 */
                published_at: string;
                tags: string[];
            }[];
            total: number;
            page: number;
            limit: number;
            pages: number;
        };
        PulledPost: {
            /**
             * Format: uuid
             * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
             */
            id: string;
            version: number;
            slug: string;
            previous_slugs?: string[];
            title: string;
            excerpt: string;
            body: {
                html: string;
                markdown: string;
                json: {
                    [key: string]: unknown;
                };
            };
            meta: {
                title?: string;
                description?: string;
                og_image?: string;
                canonical_url?: string;
            };
            tags: string[];
            /** @enum {string} */
            status: "published";
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00.000Z
             */
            published_at: string;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00.000Z
             */
            updated_at: string;
        };
        Confirmed: {
            /**
             * Format: uuid
             * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
             */
            post_id: string;
            /**
             * Format: uuid
             * @example 019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11
             */
            site_id: string;
            /** @enum {string} */
            status: "delivered" | "failed";
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00.000Z
             */
            confirmed_at: string;
        };
        Confirm: {
            post_id: string;
            site_id: string;
            /** @enum {string} */
            status: "delivered" | "failed";
            error_message?: string | null;
            metadata?: {
                [key: string]: unknown;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Register"];
            };
        };
        responses: {
            /** @description The account and a token for it. */
            201: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description A fresh token. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPosts: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                status?: "draft" | "scheduled" | "published";
                /** @description Only published posts that this site may see. */
                site_id?: string;
                tag?: string;
                /** @description Words in title and text; "quoted" words as a phrase. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of posts, newest first; with `search`, best match first. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Post"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description Visible ASCII. The same key and request within 24 hours get the first answer again, with `Idempotent-Replayed: true`; with another request it is a 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePost"];
            };
        };
        responses: {
            /** @description The post. */
            201: {
                headers: {
                    "X-Request-Id": string;
                    /** @description The version, quoted. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostWithDeliveries"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post with its deliveries. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    /** @description The version, quoted. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostWithDeliveries"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deletePost: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have seen; another version is a 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post is gone. */
            204: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updatePost: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have seen; another version is a 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePost"];
            };
        };
        responses: {
            /** @description The changed post. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    /** @description The version, quoted. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostWithDeliveries"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    publishPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description Visible ASCII. The same key and request within 24 hours get the first answer again, with `Idempotent-Replayed: true`; with another request it is a 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PublishPost"];
            };
        };
        responses: {
            /** @description One pending delivery per site. */
            202: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dispatched"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSites: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All sites, oldest first, without their secrets. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sites: components["schemas"]["Site"][];
                        total: number;
                    };
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Visible ASCII. The same key and request within 24 hours get the first answer again, with `Idempotent-Replayed: true`; with another request it is a 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSite"];
            };
        };
        responses: {
            /** @description The site with its secrets. */
            201: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteWithSecrets"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The site with its secrets. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteWithSecrets"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The site is disconnected. Its delivery history stays for 90 days. */
            204: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateSite"];
            };
        };
        responses: {
            /** @description The changed site, without its secrets. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateSiteKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Visible ASCII. The same key and request within 24 hours get the first answer again, with `Idempotent-Replayed: true`; with another request it is a 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secrets. The previous ones have stopped working. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedKeys"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testSiteDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Visible ASCII. The same key and request within 24 hours get the first answer again, with `Idempotent-Replayed: true`; with another request it is a 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the site answered. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestDelivery"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOverview: {
        parameters: {
            query?: {
                /** @description ISO 8601 date, or a time with its offset. Default: 30 days before `to`. */
                from?: string;
                /** @description ISO 8601 date (to its end), or a time with its offset. Default: now. */
                to?: string;
                site_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The totals. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDeliveriesOverTime: {
        parameters: {
            query?: {
                /** @description ISO 8601 date, or a time with its offset. Default: 30 days before `to`. */
                from?: string;
                /** @description ISO 8601 date (to its end), or a time with its offset. Default: now. */
                to?: string;
                site_id?: string;
                granularity?: "hour" | "day" | "week" | "month";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every unit of the range, zeros included. Weeks begin on Monday. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveriesOverTime"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPostDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first, 500 at most. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostDeliveries"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listFailures: {
        parameters: {
            query?: {
                /** @description ISO 8601 date, or a time with its offset. Default: 30 days before `to`. */
                from?: string;
                site_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first, 500 at most. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failures"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    retryPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description Visible ASCII. The same key and request within 24 hours get the first answer again, with `Idempotent-Replayed: true`; with another request it is a 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Retry"];
            };
        };
        responses: {
            /** @description What was queued. */
            202: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetryQueued"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pullPosts: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                tag?: string;
            };
            header?: {
                /** @description The ETag you have; unchanged content is a 304 without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    /** @description Changes with the content. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PulledPosts"];
                };
            };
            /** @description Unchanged since the given ETag. */
            304: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pullPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have; unchanged content is a 304 without a body. */
                "If-None-Match"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post as webhooks carry it. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    /** @description Changes with the content. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PulledPost"];
                };
            };
            /** @description Unchanged since the given ETag. */
            304: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    confirmDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Confirm"];
            };
        };
        responses: {
            /** @description The report is kept. */
            200: {
                headers: {
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmed"];
                };
            };
            /** @description `validation_error` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
