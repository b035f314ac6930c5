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
        /**
         * Create an account
         * @description The account is on the plan that new accounts get. The token is good at once. 403 where registering is closed (`REGISTRATION`).
         */
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
        /**
         * Log in
         * @description An unknown address and a wrong password get the same answer.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log out of the dashboard
         * @description Takes the browser's session cookie away. Access tokens are not affected.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/logout-everywhere": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End every login of the account
         * @description All access tokens and sessions stop working at once, the one that asks included.
         */
        post: operations["logoutEverywhere"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password
         * @description All access tokens and sessions of the account stop working at once; the answer is a new one of the kind that asked. Idempotency keys are not honoured here: neither passwords nor tokens are kept. Counted apart, by account, with the limit of logins.
         */
        post: operations["changePassword"];
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
        /**
         * Get the account
         * @description Who asks, the plan, and what is left of its limits. A session cookie past half of its seven days is renewed with the answer.
         */
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
        /**
         * List posts
         * @description A page at a time, newest first; with `search`, the best match first.
         */
        get: operations["listPosts"];
        put?: never;
        /**
         * Create a post
         * @description A draft, unless told otherwise: with the status `published` it goes to all sites at once, with `scheduled` when `scheduled_at` comes.
         */
        post: operations["createPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/convert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Convert a body
         * @description The forms that a post with this body would have. Nothing is stored.
         */
        post: operations["convertBody"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/summaries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List posts without their texts
         * @description The same posts as the other list, for showing many of them: without their texts, each with its newest delivery to every site that is still connected.
         */
        get: operations["listPostSummaries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish, unpublish, delete or tag many posts
         * @description Up to 100 posts, all or none of them. Publishing goes to all sites that are not inactive. Unpublishing makes drafts of published and of scheduled posts. Posts that there are no longer are passed over and counted as missing.
         */
        post: operations["changePosts"];
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
        /**
         * Get a post
         * @description With the newest delivery per site.
         */
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
         * @description Any subset of the fields; `meta` may be partial. A change to a published post is sent to the sites that have it. The status `draft` takes a published post off the sites.
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
    "/api/posts/generate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a draft written
         * @description Begins a job that writes a draft on a topic; poll it until it is complete. The draft is never published by the job. Without a configured language model it is an outline to write from, and says so.
         */
        post: operations["generateDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/generate/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a draft is coming along
         * @description Jobs can be looked at for 30 days after they are finished.
         */
        get: operations["getGenerationJob"];
        put?: never;
        post?: never;
        /**
         * Cancel a job
         * @description Ends the work at once and forgets the job. A draft that is there already stays.
         */
        delete: operations["cancelGenerationJob"];
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
        /**
         * List the connected sites
         * @description All of them, oldest first, without their secrets.
         */
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
        /**
         * Get a site
         * @description With its API key and its webhook secret.
         */
        get: operations["getSite"];
        put?: never;
        post?: never;
        /**
         * Disconnect a site
         * @description Its API key stops working and its pending deliveries end. Posts that it has are not removed from it.
         */
        delete: operations["deleteSite"];
        options?: never;
        head?: never;
        /**
         * Change a site
         * @description Status "inactive" pauses the site: pending deliveries wait until it is "active" again. "active" also ends the status "error".
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
        /**
         * Replace the API key and the webhook secret
         * @description Both at once, and at once: give the new ones to the site before the next post is published.
         */
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
    "/api/sites/detect-platform": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find out what a site runs on
         * @description Looks at the site now, as is done for a site that is connected without a platform. Takes 16 seconds at most; nothing is stored.
         */
        post: operations["detectPlatform"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description Newest first, page by page with a cursor, so that pages stay in step while deliveries are added.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description With every attempt, and with the request that an attempt made now would send.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deliveries/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send failed deliveries again
         * @description Those named, or all of a site, or all of the account: 1,000 at most, newest first. Each gets a fresh set of attempts. What must not be sent any more is left alone.
         */
        post: operations["retryDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deliveries/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one delivery again
         * @description A failed one gets a fresh set of attempts. One that waits for its next attempt is attempted at once, and its schedule goes on from there.
         */
        post: operations["retryDelivery"];
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
         * @description Deliveries count by the hour in which they finished, in UTC: those of every hour that the period touches.
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
        /**
         * Deliveries over time
         * @description Every unit of the range, zeros included, in UTC. Weeks begin on Monday.
         */
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
        /**
         * A post's deliveries with their history
         * @description To all sites, newest first, 500 at most.
         */
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
        /**
         * Failed deliveries
         * @description Those that ended as failed since `from`, newest first, 500 at most.
         */
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
        /**
         * List the site's published posts
         * @description A page at a time, the latest published first.
         */
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
        /**
         * Get one of the site's posts
         * @description By its present slug, as webhooks carry it.
         */
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
         * @description "delivered" ends a pending delivery, or records one for a post that was pulled; "failed" keeps the message and leaves retries running, or records a failed delivery of a post that was pulled.
         */
        post: operations["confirmDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what changes
         * @description Server-sent events: each has the fields `event`, `data` (JSON) and, where it ends a group, `id`. The
         *     schema describes one event. Things are shown as they are when the event is sent; the same state may come twice, and one in
         *     between may be left out.
         *
         *     `ready` is the first event. Fetch what you show after the first `ready`, and again after each `resync`; everything else
         *     is told by events. Connect again with the last `id` in `Last-Event-ID`, as browsers do by themselves, and what changed in
         *     between is told, or `resync`. The stream ends when the login does. An account may have 20 streams open per process of the
         *     service.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "post.published": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * post.published
         * @description A post is published, and the site has not been sent it before. Keep the post under its `id`.
         */
        post: operations["onPostPublished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "post.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * post.updated
         * @description A published post has changed, or is published again. It carries the whole post: replace your copy; where `previous_slugs` are given, redirect them. After a version was received, no older one is sent.
         */
        post: operations["onPostUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "post.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * post.deleted
         * @description A post is deleted, or no longer published. Remove your copy. The slug is the one that the post had last.
         */
        post: operations["onPostDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "site.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * site.test
         * @description Somebody tests the connection with `POST /api/sites/{id}/test-delivery`. The sample post is not to be kept.
         */
        post: operations["onSiteTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Account: {
            user: components["schemas"]["User"];
            /** @enum {string} */
            plan: "starter" | "pro" | "agency";
            limits: {
                /** @description The plan's limit and what is left of it; null when nothing is counted. */
                management: {
                    /** @description Requests per window. */
                    limit: number;
                    /** @description Those left in this window. */
                    remaining: number;
                    /** @description Until the window ends. */
                    reset_seconds: number;
                } | null;
            };
            generation: {
                /**
                 * @description Provider and name of the language model that writes drafts; null when none is configured, and drafts are outlines.
                 * @example openai-compatible/llama3.1
                 */
                model: string | null;
            };
        };
        /** @description The same text in three forms. `json` is the canonical one. */
        BodyForms: {
            /** @description Sanitised. */
            html: string;
            /** @description CommonMark with the tables, task lists and strikethrough of GitHub. */
            markdown: string;
            json: components["schemas"]["RichText"];
        };
        ChangePassword: {
            /** Format: password */
            current_password: string;
            /** Format: password */
            new_password: string;
        };
        ChangePosts: {
            /** @enum {string} */
            action: "publish" | "unpublish" | "delete" | "tag" | "untag";
            ids: string[];
            /** @description Goes with "tag" and "untag". */
            tag?: string;
        };
        Confirm: {
            post_id: string;
            /** @description The key's own site. */
            site_id: string;
            /** @enum {string} */
            status: "delivered" | "failed";
            /** @description Why the site could not take the post. */
            error_message?: string | null;
            /** @description Kept with the delivery. At most 16,384 characters as JSON. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        Confirmed: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id: string;
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string;
            /** @enum {string} */
            status: "delivered" | "failed";
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            confirmed_at: string;
        };
        /** @description What every refusal says. */
        Conflict: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "conflict";
            /**
             * @description The dotted path of the input that is to blame.
             * @example meta.title
             */
            field: string;
        };
        /** @description The same text in three forms. `json` is the canonical one. */
        ConvertedBody: components["schemas"]["BodyForms"] & {
            word_count: number;
        };
        CreatePost: {
            title: string;
            /**
             * @description Made from the title when it is not given. What is given becomes lower-case letters, digits and single hyphens, of which there are 120 at most; a taken one is a 409.
             * @example bread-without-kneading
             */
            slug?: string;
            excerpt?: string;
            /** @description Any of the three forms; those not given are derived. Of several, the richest is the source (json, html, markdown), and text that is given in another form is kept as given. */
            body?: {
                /** @description Sanitised. At most 1 MiB. */
                html?: string;
                /** @description CommonMark with the extensions of GitHub. At most 1 MiB. */
                markdown?: string;
                json?: components["schemas"]["RichText"];
            };
            meta?: {
                title?: string | null;
                description?: string | null;
                og_image?: "" | string | null;
                canonical_url?: "" | string | null;
            };
            /** @description Repeated ones are kept once. */
            tags?: string[];
            status?: components["schemas"]["PostStatus"];
            /**
             * Format: date-time
             * @description In the future. It goes with the status `scheduled` only, and is required there.
             * @example 2026-11-02T09:30:00+01:00
             */
            scheduled_at?: string | null;
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
        CreateSite: {
            name: string;
            /**
             * Format: uri
             * @example https://blog.example.com
             */
            url: string;
            /**
             * Format: uri
             * @description A public https address, unless the operator allows others.
             * @example https://blog.example.com/webhooks/postrider
             */
            webhook_url: string;
            platform?: components["schemas"]["Platform"] & unknown;
            /** @description What the site is about, in a few words. */
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
        DeliveriesOverTime: {
            /** @enum {string} */
            granularity: "hour" | "day" | "week" | "month";
            /**
             * Format: uuid
             * @description The site that was asked for; null for all.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string | null;
            data: components["schemas"]["TimelineUnit"][];
        };
        DeliveriesRequeued: {
            /** @description How many are queued again. */
            queued: number;
            /** @description Whether there may be more: ask again. */
            more: boolean;
            /** @description The same for people. */
            message: string;
        };
        Delivery: {
            /**
             * Format: uuid
             * @description The X-Service-Delivery of its requests.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            /** @enum {string} */
            event: "post.published" | "post.updated" | "post.deleted";
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string;
            site_name: string;
            status: components["schemas"]["DeliveryStatus"];
            attempts: number;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            delivered_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            next_attempt_at: string | null;
            /** @description Of the last attempt; null when the site did not answer. */
            response_code: number | null;
            response_time_ms: number | null;
            last_error: string | null;
            /** @description What the site said when it confirmed. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Every attempt, once there was a failed one. */
            history?: components["schemas"]["DeliveryAttempt"][];
        };
        DeliveryAttempt: {
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            at: string;
            /** @description The status that the site answered; null when it did not answer. */
            code: number | null;
            /** @description A code such as `timeout`; null for a success. */
            error: string | null;
        };
        DeliveryDetails: components["schemas"]["LoggedDelivery"] & {
            webhook_url: string;
            /** @description What the site said when it confirmed. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Every attempt, oldest first; a success at once is one without a history to keep. */
            history: components["schemas"]["LoggedAttempt"][];
            /** @description What an attempt made now would send, freshly signed. Requests are not kept; earlier attempts differ in their times and signatures. Null when the site is deleted. */
            request: {
                method: string;
                url: string;
                headers: {
                    [key: string]: string;
                };
                body: string;
            } | null;
        };
        DeliveryPage: {
            data: components["schemas"]["LoggedDelivery"][];
            /**
             * Format: uuid
             * @description Null on the last page.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            next_cursor: string | null;
        };
        DeliveryRequeued: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            /** @enum {string} */
            status: "pending";
        };
        DeliveryState: {
            /**
             * Format: uuid
             * @description The X-Service-Delivery of its requests.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id: string;
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string;
            /** @enum {string} */
            event: "post.published" | "post.updated" | "post.deleted";
            status: components["schemas"]["DeliveryStatus"];
            attempts: number;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            delivered_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            next_attempt_at: string | null;
            response_code: number | null;
            response_time_ms: number | null;
            last_error: string | null;
        };
        /**
         * @description `delivered_retry`: delivered, but not with the first attempt.
         * @enum {string}
         */
        DeliveryStatus: "pending" | "delivered" | "delivered_retry" | "failed";
        DetectedPlatform: {
            platform: components["schemas"]["Platform"] & unknown;
            /** @description Whether the site answered. When it did not, nothing is known of it. */
            reached: boolean;
            /** @description Why it was not reached: a code such as `dns_error`. */
            reason?: string;
        };
        DetectPlatform: {
            /**
             * Format: uri
             * @example https://kitchen.example.com
             */
            url: string;
        };
        Dispatched: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id: string;
            dispatched_to: {
                /**
                 * Format: uuid
                 * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
                 */
                site_id: string;
                /** @enum {string} */
                status: "pending";
            }[];
            /**
             * Format: date-time
             * @description By when the first attempts are likely to be made.
             * @example 2026-11-02T08:00:00.000Z
             */
            estimated_delivery: string;
        };
        /** @description What every refusal says. */
        Error: {
            /**
             * @description What is wrong, for programs.
             * @example not_found
             */
            error: string;
            /**
             * @description What is wrong and what to do next, for people.
             * @example There is no such post.
             */
            message: string;
        };
        FailedDelivery: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id: string;
            post_title: string;
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            failed_at: string;
            attempts: number;
            last_error: string | null;
            last_response_code: number | null;
            /** @description False when a newer version has arrived, or the post was taken off the site, or one of them is deleted. */
            can_retry: boolean;
        };
        Failures: {
            failures: components["schemas"]["FailedDelivery"][];
        };
        /** @description The same as JSON-LD, to be put into the page; null without a FAQ. */
        FaqPage: {
            /** @enum {string} */
            "@context": "https://schema.org";
            /** @enum {string} */
            "@type": "FAQPage";
            mainEntity: {
                /** @enum {string} */
                "@type": "Question";
                name: string;
                acceptedAnswer: {
                    /** @enum {string} */
                    "@type": "Answer";
                    text: string;
                };
            }[];
        } | null;
        /** @description What every refusal says. */
        Forbidden: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "forbidden";
        };
        GenerateDraft: {
            /** @example How to water tomatoes in a hot summer */
            topic: string;
            /** @description The draft is written for the readers of this site: its niche and its published posts are used. */
            site_id?: string;
            /**
             * @description About 800, 1,500 or 2,500 words.
             * @default medium
             * @enum {string}
             */
            length?: "short" | "medium" | "long";
            /**
             * @default professional
             * @enum {string}
             */
            tone?: "professional" | "casual" | "educational" | "persuasive";
            /** @default false */
            include_faq?: boolean;
            /**
             * @description The first is the main one.
             * @default []
             * @example [
             *       "watering tomatoes",
             *       "blossom end rot"
             *     ]
             */
            target_keywords?: string[];
        };
        GenerationJob: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            job_id: string;
            status: components["schemas"]["GenerationStatus"];
            /** @example /api/posts/generate/019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11 */
            poll_url: string;
            /** @description Until it is finished, as far as past jobs and this one tell. */
            estimated_seconds: number;
            progress: {
                /** @enum {string} */
                step: "outline" | "sections" | "faq" | "details" | "saving";
                /** @description Of the whole job. */
                percent: number;
                /** @description While sections are written: which one … */
                part?: number;
                /** @description … of how many, introduction and conclusion included. */
                parts?: number;
            };
            /**
             * @description `outline` when no language model is configured; else provider and model.
             * @example openai-compatible/llama3.1
             */
            generator: string;
            target_words: number;
            /** @description Words of the body; null until it is complete. */
            actual_words: number | null;
            /** @description What somebody should look at before publishing. */
            warnings: string[];
            keywords: {
                keyword: string;
                primary: boolean;
                occurrences: number;
                /** @description Percent of the words. */
                density: number;
                in_title: boolean;
                in_slug: boolean;
                in_description: boolean;
                /** @description Within the first 100 words. */
                in_introduction: boolean;
                in_headings: boolean;
            }[];
            /** @description The questions and answers that the body ends with. */
            faq: {
                question: string;
                answer: string;
            }[];
            structured_data: components["schemas"]["FaqPage"];
            tokens: {
                input: number;
                output: number;
            };
            /** @description Why it failed, and what can be done about it. */
            error?: {
                code: string;
                message: string;
            };
            post?: components["schemas"]["Post"] & unknown;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            finished_at: string | null;
        };
        GenerationJobState: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            status: components["schemas"]["GenerationStatus"];
            progress: {
                /** @enum {string} */
                step: "outline" | "sections" | "faq" | "details" | "saving";
                /** @description Of the whole job. */
                percent: number;
                /** @description While sections are written: which one … */
                part?: number;
                /** @description … of how many, introduction and conclusion included. */
                parts?: number;
            };
            /**
             * Format: uuid
             * @description The draft, once the job is complete.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id: string | null;
            error: {
                code: string;
                message: string;
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            finished_at: string | null;
        };
        /**
         * @description `complete`: the draft is there.
         * @enum {string}
         */
        GenerationStatus: "processing" | "complete" | "failed";
        /** @description What every refusal says. */
        InternalError: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "internal_error";
            /**
             * Format: uuid
             * @description As in `X-Request-Id`.
             */
            request_id: string;
        };
        ListedPost: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            /** @description Starts at 1; rises with every change. */
            version: number;
            /** @description Unique within the account. */
            slug: string;
            title: string;
            /** @description Empty when there is none. */
            excerpt: string;
            meta: components["schemas"]["PostMeta"];
            tags: string[];
            status: components["schemas"]["PostStatus"];
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            scheduled_at: string | null;
            /**
             * Format: date-time
             * @description When it was published first.
             * @example 2026-11-02T08:00:00.000Z
             */
            published_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            updated_at: string;
            deliveries: components["schemas"]["StandingDelivery"][];
        };
        ListedPostPage: {
            data: components["schemas"]["ListedPost"][];
            pagination: components["schemas"]["Pagination"];
        };
        LiveEvent: {
            /** @enum {string} */
            event: "ready";
            data: Record<string, never>;
        } | {
            /** @enum {string} */
            event: "resync";
            data: Record<string, never>;
        } | {
            /** @enum {string} */
            event: "post.changed";
            data: components["schemas"]["PostState"];
        } | {
            /** @enum {string} */
            event: "post.deleted";
            data: {
                /**
                 * Format: uuid
                 * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
                 */
                id: string;
            };
        } | {
            /** @enum {string} */
            event: "delivery.changed";
            data: components["schemas"]["DeliveryState"];
        } | {
            /** @enum {string} */
            event: "job.changed";
            data: components["schemas"]["GenerationJobState"];
        } | {
            /** @enum {string} */
            event: "job.deleted";
            data: {
                /**
                 * Format: uuid
                 * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
                 */
                id: string;
            };
        } | {
            /** @enum {string} */
            event: "site.changed";
            data: components["schemas"]["Site"];
        } | {
            /** @enum {string} */
            event: "site.deleted";
            data: {
                /**
                 * Format: uuid
                 * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
                 */
                id: string;
            };
        };
        LoggedAttempt: {
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            at: string;
            code: number | null;
            error: string | null;
            took_ms: number | null;
            /** @description Of a failure: the beginning of what the site answered, 500 characters at most. */
            response: string | null;
        };
        LoggedDelivery: {
            /**
             * Format: uuid
             * @description The X-Service-Delivery of its requests.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            /** @enum {string} */
            event: "post.published" | "post.updated" | "post.deleted";
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id: string;
            /** @description The title of today, or the last one of a deleted post. */
            post_title: string;
            post_deleted: boolean;
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string;
            site_name: string;
            site_deleted: boolean;
            /** @enum {string} */
            status: "pending" | "delivered" | "delivered_retry" | "failed";
            attempts: number;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            next_attempt_at: string | null;
            response_code: number | null;
            response_time_ms: number | null;
            last_error: string | null;
            /** @description Whether a failed delivery can be sent again: not when a newer version has arrived, or the post was taken off the site, or the site is deleted, or the post, unless it is the deletion itself that has to arrive. */
            can_retry: boolean;
        };
        Login: {
            email: string;
            /** Format: password */
            password: string;
            /**
             * @description What to answer with; "token" when it is left out. "cookie" is for pages of the service itself: instead of a token that scripts could read, the answer is 204 with a cookie that they cannot.
             * @enum {string}
             */
            session?: "token" | "cookie";
        };
        /** @description What every refusal says. */
        MethodNotAllowed: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "method_not_allowed";
        };
        /** @description What every refusal says. */
        NotFound: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "not_found";
        };
        Overview: {
            period: {
                /**
                 * Format: date-time
                 * @example 2026-11-02T08:00:00.000Z
                 */
                from: string;
                /**
                 * Format: date-time
                 * @example 2026-11-02T08:00:00.000Z
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
                /** @description Posts that were published for the first time. */
                posts_published: number;
            };
            sites: components["schemas"]["SiteTotals"][];
        };
        Pagination: {
            page: number;
            limit: number;
            /** @description On all pages. */
            total: number;
            pages: number;
        };
        /** @description What every refusal says. */
        PayloadTooLarge: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "payload_too_large";
        };
        /** @enum {string} */
        Platform: "nextjs" | "wordpress" | "gatsby" | "sveltekit" | "custom";
        Post: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            /** @description Starts at 1; rises with every change. */
            version: number;
            /** @description Unique within the account. */
            slug: string;
            title: string;
            /** @description Empty when there is none. */
            excerpt: string;
            body: components["schemas"]["BodyForms"];
            meta: components["schemas"]["PostMeta"];
            tags: string[];
            status: components["schemas"]["PostStatus"];
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            scheduled_at: string | null;
            /**
             * Format: date-time
             * @description When it was published first.
             * @example 2026-11-02T08:00:00.000Z
             */
            published_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            updated_at: string;
        };
        PostDeletedEvent: {
            /** @enum {string} */
            event: "post.deleted";
            post: {
                /**
                 * Format: uuid
                 * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
                 */
                id: string;
                slug: string;
            };
            site: {
                /**
                 * Format: uuid
                 * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
                 */
                id: string;
            };
            /**
             * Format: date-time
             * @description When it was deleted or taken off the sites.
             * @example 2026-11-02T08:00:00.000Z
             */
            deleted_at: string;
        };
        PostDeliveries: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id: string;
            post_title: string;
            deliveries: components["schemas"]["Delivery"][];
        };
        /** @description The newest of a post's deliveries to a site. */
        PostDelivery: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string;
            status: components["schemas"]["DeliveryStatus"];
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            delivered_at: string | null;
        };
        /** @description For search engines and social networks. A key that is not set is absent. */
        PostMeta: {
            title?: string;
            description?: string;
            /** Format: uri */
            og_image?: string;
            /** Format: uri */
            canonical_url?: string;
        };
        PostPage: {
            data: components["schemas"]["Post"][];
            pagination: components["schemas"]["Pagination"];
        };
        PostPublishedEvent: {
            /** @enum {string} */
            event: "post.published";
            post: components["schemas"]["PublishedPost"];
            site: components["schemas"]["SiteRef"];
            /**
             * Format: date-time
             * @description When this attempt was made.
             * @example 2026-11-02T08:00:00.000Z
             */
            delivered_at: string;
        };
        PostsChanged: {
            changed: string[];
            /** @description How many there are not, or no longer. */
            missing: number;
        };
        PostState: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            version: number;
            slug: string;
            title: string;
            status: components["schemas"]["PostStatus"];
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            scheduled_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            published_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            updated_at: string;
        };
        /**
         * @description `scheduled`: it is published by itself at `scheduled_at`.
         * @enum {string}
         */
        PostStatus: "draft" | "scheduled" | "published";
        PostSummary: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            slug: string;
            title: string;
            excerpt: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            published_at: string;
            tags: string[];
        };
        PostUpdatedEvent: {
            /** @enum {string} */
            event: "post.updated";
            post: components["schemas"]["PublishedPost"];
            /** @description The version that was sent before. */
            previous_version: number;
            site: components["schemas"]["SiteRef"];
        };
        PostWithDeliveries: components["schemas"]["Post"] & {
            deliveries: components["schemas"]["PostDelivery"][];
        };
        /** @description What every refusal says. */
        PreconditionFailed: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "precondition_failed";
        };
        PublishedPost: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            /** @description Rises with every change. */
            version: number;
            slug: string;
            /** @description Slugs that the post had while it was published, oldest first: redirect them. */
            previous_slugs?: string[];
            title: string;
            excerpt: string;
            body: components["schemas"]["BodyForms"];
            meta: components["schemas"]["PostMeta"];
            tags: string[];
            /** @enum {string} */
            status: "published";
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            published_at: string;
        };
        PublishPost: {
            /** @description Sites of the account that are not inactive. Default: all of them. */
            site_ids?: string[];
        };
        PulledPost: components["schemas"]["PublishedPost"] & {
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            updated_at: string;
        };
        PulledPosts: {
            posts: components["schemas"]["PostSummary"][];
            total: number;
            page: number;
            limit: number;
            pages: number;
        };
        /** @description What every refusal says. */
        RateLimited: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "rate_limited";
            /** @description Seconds, as in `Retry-After`. */
            retry_after: number;
        };
        Register: {
            name: string;
            /**
             * @description Compared without regard to case.
             * @example ada@example.com
             */
            email: string;
            /** Format: password */
            password: string;
            /**
             * @description What to answer with; "token" when it is left out. "cookie" is for pages of the service itself: instead of a token that scripts could read, the answer is 204 with a cookie that they cannot.
             * @enum {string}
             */
            session?: "token" | "cookie";
        };
        Retry: {
            /** @description Only this site. Default: all. */
            site_id?: string;
        };
        RetryDeliveries: {
            /** @description Only these. Default: all. */
            ids?: string[];
            /** @description Only of this site. Default: of all. */
            site_id?: string;
        };
        RetryQueued: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            job_id: string;
            /** @enum {string} */
            status: "queued";
            /** @description How many are queued; it may be none. */
            message: string;
        };
        /** @description A node of a rich-text document as Tiptap 3 and ProseMirror write it. The document itself is a node of type `doc`. */
        RichText: {
            type: string;
            attrs?: {
                [key: string]: unknown;
            };
            content?: components["schemas"]["RichText"][];
            marks?: {
                type: string;
                attrs?: {
                    [key: string]: unknown;
                };
            }[];
            text?: string;
        };
        RotatedKeys: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string;
            new_api_key: string;
            new_webhook_secret: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            rotated_at: string;
            warning: string;
        };
        Session: {
            user: components["schemas"]["User"];
            /** @description A JWT for the Management API. */
            token: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            expires_at: string;
        };
        Site: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            name: string;
            /** Format: uri */
            url: string;
            /**
             * Format: uri
             * @description Where webhooks are sent.
             */
            webhook_url: string;
            /** @description What the site is about; empty when nothing was said. */
            niche: string;
            platform: components["schemas"]["Platform"];
            status: components["schemas"]["SiteStatus"];
            delivery_stats: {
                /** @description Finished deliveries. */
                total: number;
                /** @description Percent, one decimal; null when nothing has finished. */
                success_rate: number | null;
                /**
                 * Format: date-time
                 * @example 2026-11-02T08:00:00.000Z
                 */
                last_delivery: string | null;
            };
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
        };
        SiteList: {
            sites: components["schemas"]["Site"][];
            total: number;
        };
        SiteRef: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            name: string;
        };
        /**
         * @description `inactive`: paused by the user, nothing is sent. `error`: set by the service when deliveries fail, cleared by the next success.
         * @enum {string}
         */
        SiteStatus: "active" | "inactive" | "error";
        SiteTestEvent: {
            /** @enum {string} */
            event: "site.test";
            /** @enum {boolean} */
            test: true;
            post: components["schemas"]["PublishedPost"];
            site: components["schemas"]["SiteRef"];
        };
        SiteTotals: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            name: string;
            deliveries: number;
            /** @description Percent of finished deliveries, one decimal; null when none has finished. */
            success_rate: number | null;
        };
        SiteWithSecrets: components["schemas"]["Site"] & {
            /** @description For the Pull API, in the header X-API-Key. */
            api_key: string;
            /** @description Signs the webhooks that the site is sent. */
            webhook_secret: string;
        };
        /** @description How a post stands at a site: its newest delivery there. */
        StandingDelivery: components["schemas"]["PostDelivery"] & {
            /** @enum {string} */
            event: "post.published" | "post.updated" | "post.deleted";
            attempts: number;
            last_error: string | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            next_attempt_at: string | null;
        };
        TestDelivery: {
            success: boolean;
            /** @description Null when the site did not answer. */
            response_code: number | null;
            response_time_ms: number;
            payload_sent?: components["schemas"]["PublishedPost"] & unknown;
            /** @description When it succeeded. */
            message?: string;
            /** @description When it failed: a code such as `timeout`. */
            error?: string;
            /** @description When it failed: what to check. */
            troubleshooting?: string;
            /** @description The beginning of what the site answered, 500 characters at most, when that was text. */
            response?: string;
        };
        TimelineUnit: {
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
        };
        /** @description What every refusal says. */
        Unauthorized: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "unauthorized";
        };
        /** @description What every refusal says. */
        Unavailable: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "unavailable";
        };
        /** @description What every refusal says. */
        UnsupportedMediaType: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "unsupported_media_type";
        };
        UpdatePost: {
            title?: string;
            /**
             * @description null: made from the title, as for a new post. What is given becomes lower-case letters, digits and single hyphens, of which there are 120 at most; a taken one is a 409.
             * @example bread-without-kneading
             */
            slug?: string | null;
            excerpt?: string;
            /** @description Any of the three forms; those not given are derived. Of several, the richest is the source (json, html, markdown), and text that is given in another form is kept as given. */
            body?: {
                /** @description Sanitised. At most 1 MiB. */
                html?: string;
                /** @description CommonMark with the extensions of GitHub. At most 1 MiB. */
                markdown?: string;
                json?: components["schemas"]["RichText"];
            };
            meta?: {
                title?: string | null;
                description?: string | null;
                og_image?: "" | string | null;
                canonical_url?: "" | string | null;
            };
            /** @description Repeated ones are kept once. */
            tags?: string[];
            status?: components["schemas"]["PostStatus"];
            /**
             * Format: date-time
             * @description In the future. It goes with the status `scheduled` only, and is required there.
             * @example 2026-11-02T09:30:00+01:00
             */
            scheduled_at?: string | null;
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
        UpdateSite: {
            name?: string;
            /**
             * Format: uri
             * @example https://blog.example.com
             */
            url?: string;
            /**
             * Format: uri
             * @description A public https address, unless the operator allows others.
             * @example https://blog.example.com/webhooks/postrider
             */
            webhook_url?: string;
            platform?: components["schemas"]["Platform"] & unknown;
            /** @description What the site is about, in a few words. */
            niche?: string;
            status?: components["schemas"]["SiteStatus"];
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
        User: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            name: string;
            /** Format: idn-email */
            email: string;
        };
        /** @description What every refusal says. */
        ValidationError: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "validation_error";
            /**
             * @description The dotted path of the input that is to blame.
             * @example meta.title
             */
            field: string;
        };
    };
    responses: {
        /** @description `conflict`: It contradicts what is there: a value that must be unique is taken, or the idempotency key belongs to another request, or to one that is still running (then with `Retry-After`). Nothing was done. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Conflict"];
            };
        };
        /** @description `forbidden`: The credentials are valid, but not for this. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Forbidden"];
            };
        };
        /** @description `rate_limited`: The limit of the window is used up. Nothing was done. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                /**
                 * @description Requests per window. This and the next two are on every answer to a request that was counted.
                 * @example 100
                 */
                "RateLimit-Limit": number;
                /**
                 * @description Requests left in this window.
                 * @example 96
                 */
                "RateLimit-Remaining": number;
                /**
                 * @description Seconds until the window ends.
                 * @example 2710
                 */
                "RateLimit-Reset": number;
                /**
                 * @description Seconds to wait before trying again.
                 * @example 38
                 */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RateLimited"];
            };
        };
        /** @description `validation_error`: The input is not valid; `field` names the first of it that is not. Nothing was done. */
        ValidationError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ValidationError"];
            };
        };
        /** @description `payload_too_large`: The body is larger than 2 MiB. Nothing was done. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PayloadTooLarge"];
            };
        };
        /** @description `unsupported_media_type`: The body does not say that it is JSON, or is compressed. Nothing was done. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                /**
                 * @description When the body was compressed: that it must not be.
                 * @example identity
                 */
                "Accept-Encoding"?: "identity";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedMediaType"];
            };
        };
        /** @description `method_not_allowed`: What every other method gets at this address. */
        MethodNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                /**
                 * @description The methods of this address.
                 * @example GET, HEAD, PATCH, DELETE
                 */
                Allow: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MethodNotAllowed"];
            };
        };
        /** @description `unavailable`: The service cannot work at the moment. Repeat a POST with the same idempotency key. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                /**
                 * @description Seconds to wait before trying again.
                 * @example 38
                 */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unavailable"];
            };
        };
        /** @description `unauthorized`: Credentials are missing, wrong, expired or revoked. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                /**
                 * @description The credentials that are wanted: an access token, or a site's key in `X-API-Key`.
                 * @example Bearer
                 */
                "WWW-Authenticate": "Bearer" | "ApiKey";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unauthorized"];
            };
        };
        /** @description `not_found`: There is no such thing, or it is somebody else’s: the two cannot be told apart. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFound"];
            };
        };
        /** @description `precondition_failed`: The resource is not at the version that `If-Match` names. Nothing was done. */
        PreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PreconditionFailed"];
            };
        };
        /** @description `internal_error`: Something unexpected happened. The log of the service has the cause under the `request_id`. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InternalError"];
            };
        };
    };
    parameters: {
        /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
        "Idempotency-Key": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Names the request in the log of the service. Quote it when you report a problem.
         * @example 01a19b45-b8a1-7d30-8c51-0a3e5b7f9d21
         */
        "X-Request-Id": string;
        /**
         * @description `no-store` where there are secrets; otherwise it may be kept by the client, but ask before using it.
         * @example private, no-cache
         */
        "Cache-Control": string;
        /**
         * @description Requests per window. This and the next two are on every answer to a request that was counted.
         * @example 100
         */
        "RateLimit-Limit": number;
        /**
         * @description Requests left in this window.
         * @example 96
         */
        "RateLimit-Remaining": number;
        /**
         * @description Seconds until the window ends.
         * @example 2710
         */
        "RateLimit-Reset": number;
        /**
         * @description Present when this is the kept answer to an earlier request with the same idempotency key.
         * @example true
         */
        "Idempotent-Replayed": "true";
        /**
         * @description Seconds to wait before trying again.
         * @example 38
         */
        "Retry-After": number;
    };
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The answer holds secrets: it is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The session cookie is set, as `"session": "cookie"` asked for. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The answer holds secrets: it is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description The session: HttpOnly, SameSite=Strict, 7 days.
                     * @example postrider_session=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMWExOWIzZS0xYzQwLTdhNmYtOGQyMS01YzBlOWI3ZjRhMTAifQ.c2lnbmF0dXJl; Max-Age=604800; Path=/; HttpOnly; SameSite=Strict
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The answer holds secrets: it is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The session cookie is set, as `"session": "cookie"` asked for. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The answer holds secrets: it is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description The session: HttpOnly, SameSite=Strict, 7 days.
                     * @example postrider_session=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMWExOWIzZS0xYzQwLTdhNmYtOGQyMS01YzBlOWI3ZjRhMTAifQ.c2lnbmF0dXJl; Max-Age=604800; Path=/; HttpOnly; SameSite=Strict
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cookie is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The answer holds secrets: it is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    /**
                     * @description Takes the session cookie away.
                     * @example postrider_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    logoutEverywhere: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Everybody has to log in again. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The answer holds secrets: it is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    /**
                     * @description Takes the session cookie away.
                     * @example postrider_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePassword"];
            };
        };
        responses: {
            /** @description The password is changed; here is a token. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The answer holds secrets: it is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The password is changed, and the session cookie set anew. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The answer holds secrets: it is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description The session: HttpOnly, SameSite=Strict, 7 days.
                     * @example postrider_session=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMWExOWIzZS0xYzQwLTdhNmYtOGQyMS01YzBlOWI3ZjRhMTAifQ.c2lnbmF0dXJl; Max-Age=604800; Path=/; HttpOnly; SameSite=Strict
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description `no-store` with a renewed session.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description The renewed session, when there was one to renew.
                     * @example postrider_session=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMWExOWIzZS0xYzQwLTdhNmYtOGQyMS01YzBlOWI3ZjRhMTAifQ.c2lnbmF0dXJl; Max-Age=604800; Path=/; HttpOnly; SameSite=Strict
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPosts: {
        parameters: {
            query?: {
                /** @description Which page. One past the last is empty. */
                page?: number;
                /** @description How many on a page. */
                limit?: number;
                /** @description Only posts of this status. */
                status?: components["schemas"]["PostStatus"] & unknown;
                /** @description Only published posts that this site may see. */
                site_id?: string;
                /** @description Only posts with this tag. */
                tag?: string;
                /** @description Words in title and text; "quoted" words as a phrase. Finds 500 posts at most, of more the newest. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of posts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    /**
                     * @description The version in quotes; for `If-Match`.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description The path of the post.
                     * @example /api/posts/01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostWithDeliveries"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    convertBody: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Sanitised. At most 1 MiB. */
                    html?: string;
                    /** @description CommonMark with the extensions of GitHub. At most 1 MiB. */
                    markdown?: string;
                    json?: components["schemas"]["RichText"];
                };
            };
        };
        responses: {
            /** @description All forms, and the number of words. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConvertedBody"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPostSummaries: {
        parameters: {
            query?: {
                /** @description Which page. One past the last is empty. */
                page?: number;
                /** @description How many on a page. */
                limit?: number;
                /** @description Only posts of this status. */
                status?: components["schemas"]["PostStatus"] & unknown;
                /** @description Only published posts that this site may see. */
                site_id?: string;
                /** @description Only posts with this tag. */
                tag?: string;
                /** @description Words in title and text; "quoted" words as a phrase. Finds 500 posts at most, of more the newest. */
                search?: string;
                /** @description `updated_at`: the last changed first; `scheduled_at`: the next to be published first. A search has the best match first. */
                sort?: "newest" | "updated_at" | "scheduled_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of posts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedPostPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changePosts: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePosts"];
            };
        };
        responses: {
            /** @description What was changed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostsChanged"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post with its deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description The version in quotes; for `If-Match`.
                     * @example "3"
                     */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostWithDeliveries"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
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
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
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
                /** @description The resource's id. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description The version in quotes; for `If-Match`.
                     * @example "3"
                     */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostWithDeliveries"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    publishPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The resource's id. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dispatched"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    generateDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GenerateDraft"];
            };
        };
        responses: {
            /** @description The job, at its beginning. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    /**
                     * @description The `poll_url`.
                     * @example /api/posts/generate/01a19b44-9c3e-7b61-8f52-4d7a0e93c1b8
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GenerationJob"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getGenerationJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job, with the draft once it is complete. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description It changes all the time.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GenerationJob"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelGenerationJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
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
            /** @description The sites. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The answer holds secrets: it is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    /**
                     * @description The path of the site.
                     * @example /api/sites/01a19b40-5a20-7c11-9e3d-7b42a1d0c6f8
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteWithSecrets"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The site with its secrets. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The answer holds secrets: it is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteWithSecrets"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The site is disconnected. Its delivery history stays for 90 days. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The resource's id. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateSiteKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secrets. The previous ones have stopped working. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The answer holds secrets: it is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedKeys"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    testSiteDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the site answered. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestDelivery"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    detectPlatform: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DetectPlatform"];
            };
        };
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DetectedPlatform"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description How many on a page. */
                limit?: number;
                /** @description Only those of this status. */
                status?: "pending" | "delivered" | "delivered_retry" | "failed";
                /** @description Only this site; it may be one that was deleted. */
                site_id?: string;
                /** @description Only this post; it may be one that was deleted. */
                post_id?: string;
                /** @description Only those made since then: an ISO 8601 date, or a time with its offset. */
                from?: string;
                /** @description Only those made until then: an ISO 8601 date (to its end), or a time with its offset. */
                to?: string;
                /** @description Only failed ones that can be sent again. */
                can_retry?: "true";
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The answer holds secrets: it is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetails"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetryDeliveries"];
            };
        };
        responses: {
            /** @description What was queued. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveriesRequeued"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is queued. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryRequeued"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOverview: {
        parameters: {
            query?: {
                /** @description ISO 8601 date, or a time with its offset. Default: 30 days ago. */
                from?: string;
                /** @description ISO 8601 date (to its end), or a time with its offset. Default: now. */
                to?: string;
                /** @description Only this site. Default: all of the account. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDeliveriesOverTime: {
        parameters: {
            query?: {
                /** @description ISO 8601 date, or a time with its offset. Default: 30 days ago. */
                from?: string;
                /** @description ISO 8601 date (to its end), or a time with its offset. Default: now. */
                to?: string;
                /** @description Only this site. Default: all of the account. */
                site_id?: string;
                /** @description The unit. */
                granularity?: "hour" | "day" | "week" | "month";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The units. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveriesOverTime"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPostDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostDeliveries"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listFailures: {
        parameters: {
            query?: {
                /** @description ISO 8601 date, or a time with its offset. Default: 30 days ago. */
                from?: string;
                /** @description Only this site. Default: all of the account. */
                site_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The failures. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failures"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again; use a random one, such as a UUID. For 24 hours the same key and request get the first answer again, with `Idempotent-Replayed: true`; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The resource's id. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetryQueued"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    pullPosts: {
        parameters: {
            query?: {
                /** @description Which page. One past the last is empty. */
                page?: number;
                /** @description How many on a page. */
                limit?: number;
                /** @description Only posts with this tag. */
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
            /** @description A page of posts without their bodies. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description It may be kept, but ask before using it.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Changes with the content; for `If-None-Match`.
                     * @example "kL3uQz0VbYc4xWm2Tq8hRfN1aeo"
                     */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description It may be kept, but ask before using it.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Changes with the content; for `If-None-Match`.
                     * @example "kL3uQz0VbYc4xWm2Tq8hRfN1aeo"
                     */
                    ETag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
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
                /** @description The present slug of the post. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description It may be kept, but ask before using it.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Changes with the content; for `If-None-Match`.
                     * @example "kL3uQz0VbYc4xWm2Tq8hRfN1aeo"
                     */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description It may be kept, but ask before using it.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Changes with the content; for `If-None-Match`.
                     * @example "kL3uQz0VbYc4xWm2Tq8hRfN1aeo"
                     */
                    ETag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmed"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description In place of the header, for clients that cannot send one. */
                last_event_id?: string;
            };
            header?: {
                /** @description The `id` of the last event: what changed since is told. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, until somebody hangs up. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The stream is not to be kept.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Tells nginx to pass events on at once.
                     * @example no
                     */
                    "X-Accel-Buffering": string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LiveEvent"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    onPostPublished: {
        parameters: {
            query?: never;
            header: {
                /** @description The event, as in the body. */
                "X-Service-Event": string;
                /** @description The id of the delivery, the same in every attempt. Whoever has seen it has the event already. */
                "X-Service-Delivery": string;
                /** @description When this attempt was made, in Unix seconds. Not covered by X-Service-Signature. */
                "X-Service-Timestamp": string;
                /** @description `sha256=` and the HMAC-SHA256 of the raw body in hexadecimal. The key is the `webhook_secret` as it is shown, prefix included. */
                "X-Service-Signature": string;
                /** @description The version of the webhooks, a date. */
                "X-Service-Version": string;
                /** @description Standard Webhooks: the id of the delivery. */
                "webhook-id": string;
                /** @description Standard Webhooks: when this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks: `v1,` and the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` in base64. The key is what the `webhook_secret` encodes in base64 after its prefix. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "post.published",
                 *       "post": {
                 *         "id": "01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071",
                 *         "version": 1,
                 *         "slug": "bread-without-kneading",
                 *         "title": "Bread without kneading",
                 *         "excerpt": "Four ingredients, ten minutes of work, and a night of patience.",
                 *         "body": {
                 *           "html": "<p>Time does what your <strong>hands</strong> would.</p>",
                 *           "markdown": "Time does what your **hands** would.\n",
                 *           "json": {
                 *             "type": "doc",
                 *             "content": [
                 *               {
                 *                 "type": "paragraph",
                 *                 "content": [
                 *                   {
                 *                     "type": "text",
                 *                     "text": "Time does what your "
                 *                   },
                 *                   {
                 *                     "type": "text",
                 *                     "text": "hands",
                 *                     "marks": [
                 *                       {
                 *                         "type": "bold"
                 *                       }
                 *                     ]
                 *                   },
                 *                   {
                 *                     "type": "text",
                 *                     "text": " would."
                 *                   }
                 *                 ]
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "meta": {
                 *           "title": "Bread without kneading: the overnight method",
                 *           "description": "How to bake a crusty loaf from four ingredients with ten minutes of work.",
                 *           "og_image": "https://kitchen.example.com/images/loaf.jpg",
                 *           "canonical_url": "https://kitchen.example.com/bread-without-kneading"
                 *         },
                 *         "tags": [
                 *           "baking",
                 *           "basics"
                 *         ],
                 *         "status": "published",
                 *         "published_at": "2026-11-02T08:00:00.000Z"
                 *       },
                 *       "site": {
                 *         "id": "01a19b40-5a20-7c11-9e3d-7b42a1d0c6f8",
                 *         "name": "Ada's kitchen"
                 *       },
                 *       "delivered_at": "2026-11-02T08:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["PostPublishedEvent"];
            };
        };
        responses: {
            /** @description Received. Answer so once it is kept, and do slow work afterwards. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Anything else is a failure, a redirect or 15 seconds without an answer too. Tried again 30 seconds, 5 minutes and 30 minutes after the attempt before. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPostUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event, as in the body. */
                "X-Service-Event": string;
                /** @description The id of the delivery, the same in every attempt. Whoever has seen it has the event already. */
                "X-Service-Delivery": string;
                /** @description When this attempt was made, in Unix seconds. Not covered by X-Service-Signature. */
                "X-Service-Timestamp": string;
                /** @description `sha256=` and the HMAC-SHA256 of the raw body in hexadecimal. The key is the `webhook_secret` as it is shown, prefix included. */
                "X-Service-Signature": string;
                /** @description The version of the webhooks, a date. */
                "X-Service-Version": string;
                /** @description Standard Webhooks: the id of the delivery. */
                "webhook-id": string;
                /** @description Standard Webhooks: when this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks: `v1,` and the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` in base64. The key is what the `webhook_secret` encodes in base64 after its prefix. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "post.updated",
                 *       "post": {
                 *         "id": "01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071",
                 *         "version": 2,
                 *         "slug": "bread-without-kneading",
                 *         "title": "Bread without kneading",
                 *         "excerpt": "Four ingredients, ten minutes of work, and a night of patience.",
                 *         "body": {
                 *           "html": "<p>Time does what your <strong>hands</strong> would.</p>",
                 *           "markdown": "Time does what your **hands** would.\n",
                 *           "json": {
                 *             "type": "doc",
                 *             "content": [
                 *               {
                 *                 "type": "paragraph",
                 *                 "content": [
                 *                   {
                 *                     "type": "text",
                 *                     "text": "Time does what your "
                 *                   },
                 *                   {
                 *                     "type": "text",
                 *                     "text": "hands",
                 *                     "marks": [
                 *                       {
                 *                         "type": "bold"
                 *                       }
                 *                     ]
                 *                   },
                 *                   {
                 *                     "type": "text",
                 *                     "text": " would."
                 *                   }
                 *                 ]
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "meta": {
                 *           "title": "Bread without kneading: the overnight method",
                 *           "description": "How to bake a crusty loaf from four ingredients with ten minutes of work.",
                 *           "og_image": "https://kitchen.example.com/images/loaf.jpg",
                 *           "canonical_url": "https://kitchen.example.com/bread-without-kneading"
                 *         },
                 *         "tags": [
                 *           "baking",
                 *           "basics"
                 *         ],
                 *         "status": "published",
                 *         "published_at": "2026-11-02T08:00:00.000Z"
                 *       },
                 *       "previous_version": 1,
                 *       "site": {
                 *         "id": "01a19b40-5a20-7c11-9e3d-7b42a1d0c6f8",
                 *         "name": "Ada's kitchen"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PostUpdatedEvent"];
            };
        };
        responses: {
            /** @description Received. Answer so once it is kept, and do slow work afterwards. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Anything else is a failure, a redirect or 15 seconds without an answer too. Tried again 30 seconds, 5 minutes and 30 minutes after the attempt before. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPostDeleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event, as in the body. */
                "X-Service-Event": string;
                /** @description The id of the delivery, the same in every attempt. Whoever has seen it has the event already. */
                "X-Service-Delivery": string;
                /** @description When this attempt was made, in Unix seconds. Not covered by X-Service-Signature. */
                "X-Service-Timestamp": string;
                /** @description `sha256=` and the HMAC-SHA256 of the raw body in hexadecimal. The key is the `webhook_secret` as it is shown, prefix included. */
                "X-Service-Signature": string;
                /** @description The version of the webhooks, a date. */
                "X-Service-Version": string;
                /** @description Standard Webhooks: the id of the delivery. */
                "webhook-id": string;
                /** @description Standard Webhooks: when this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks: `v1,` and the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` in base64. The key is what the `webhook_secret` encodes in base64 after its prefix. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "post.deleted",
                 *       "post": {
                 *         "id": "01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071",
                 *         "slug": "bread-without-kneading"
                 *       },
                 *       "site": {
                 *         "id": "01a19b40-5a20-7c11-9e3d-7b42a1d0c6f8"
                 *       },
                 *       "deleted_at": "2026-11-02T08:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["PostDeletedEvent"];
            };
        };
        responses: {
            /** @description Received. Answer so once it is kept, and do slow work afterwards. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Anything else is a failure, a redirect or 15 seconds without an answer too. Tried again 30 seconds, 5 minutes and 30 minutes after the attempt before. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSiteTest: {
        parameters: {
            query?: never;
            header: {
                /** @description The event, as in the body. */
                "X-Service-Event": string;
                /** @description The id of the delivery, the same in every attempt. Whoever has seen it has the event already. */
                "X-Service-Delivery": string;
                /** @description When this attempt was made, in Unix seconds. Not covered by X-Service-Signature. */
                "X-Service-Timestamp": string;
                /** @description `sha256=` and the HMAC-SHA256 of the raw body in hexadecimal. The key is the `webhook_secret` as it is shown, prefix included. */
                "X-Service-Signature": string;
                /** @description The version of the webhooks, a date. */
                "X-Service-Version": string;
                /** @description Standard Webhooks: the id of the delivery. */
                "webhook-id": string;
                /** @description Standard Webhooks: when this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks: `v1,` and the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` in base64. The key is what the `webhook_secret` encodes in base64 after its prefix. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "site.test",
                 *       "post": {
                 *         "id": "01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071",
                 *         "version": 1,
                 *         "slug": "bread-without-kneading",
                 *         "title": "Bread without kneading",
                 *         "excerpt": "Four ingredients, ten minutes of work, and a night of patience.",
                 *         "body": {
                 *           "html": "<p>Time does what your <strong>hands</strong> would.</p>",
                 *           "markdown": "Time does what your **hands** would.\n",
                 *           "json": {
                 *             "type": "doc",
                 *             "content": [
                 *               {
                 *                 "type": "paragraph",
                 *                 "content": [
                 *                   {
                 *                     "type": "text",
                 *                     "text": "Time does what your "
                 *                   },
                 *                   {
                 *                     "type": "text",
                 *                     "text": "hands",
                 *                     "marks": [
                 *                       {
                 *                         "type": "bold"
                 *                       }
                 *                     ]
                 *                   },
                 *                   {
                 *                     "type": "text",
                 *                     "text": " would."
                 *                   }
                 *                 ]
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "meta": {
                 *           "title": "Bread without kneading: the overnight method",
                 *           "description": "How to bake a crusty loaf from four ingredients with ten minutes of work.",
                 *           "og_image": "https://kitchen.example.com/images/loaf.jpg",
                 *           "canonical_url": "https://kitchen.example.com/bread-without-kneading"
                 *         },
                 *         "tags": [
                 *           "baking",
                 *           "basics"
                 *         ],
                 *         "status": "published",
                 *         "published_at": "2026-11-02T08:00:00.000Z"
                 *       },
                 *       "test": true,
                 *       "site": {
                 *         "id": "01a19b40-5a20-7c11-9e3d-7b42a1d0c6f8",
                 *         "name": "Ada's kitchen"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SiteTestEvent"];
            };
        };
        responses: {
            /** @description Received. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Anything else is shown as a failure. It is not tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
