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
         * @description The account gets the default plan (`DEFAULT_PLAN`). The token is valid at once. 403 if registration is closed (`REGISTRATION`).
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
         * @description An unknown e-mail address and a wrong password get the same response. Besides the limit per client address, ten failed logins to one account in ten minutes are answered; addresses that have logged in to it before are counted on their own.
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
         * Log out
         * @description The session cookie or access token of this request stops working at once, and so does every copy of it. Other logins of the account stay. Has its own rate limit: that of logins, per account and client address.
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
         * Log out everywhere
         * @description All access tokens and sessions of the account stop working at once, including the one used for this request. Has its own rate limit: that of logins, per account and client address.
         */
        post: operations["logoutEverywhere"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/forgot-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a link to a new password
         * @description Mails the link to the address if there is such an account; the answer is the same either way. The link works once, within an hour. At most three mails an hour and account. 503 where the service sends no mail (`SMTP_URL`).
         */
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Choose a new password with the link
         * @description With the token of the link. All access tokens and sessions of the account stop working at once.
         */
        post: operations["resetPassword"];
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
         * @description All access tokens and sessions of the account stop working at once; the response carries a new one of the kind used for this request. Idempotency keys are ignored here, so that no passwords or tokens are stored. Has its own rate limit: that of logins, per account.
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
         * @description The user, the plan and the remaining requests. A session cookie past half of its seven days is renewed with the response.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the account
         * @description Sets which site has the original of new posts. Posts that are there keep theirs.
         */
        patch: operations["updateAccount"];
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens of programs
         * @description Newest first, with those that have expired. Revoked ones are gone.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Make a token for a program
         * @description The token is in this answer and nowhere else. No token can make tokens.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description From now on, no request with it is answered.
         */
        delete: operations["revokeToken"];
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
         * @description One page at a time, newest first; with `search`, the best match first.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["listPosts"];
        put?: never;
        /**
         * Create a post
         * @description Creates a draft by default. With the status `published` the post is sent to its sites at once, with `scheduled` at `scheduled_at`.
         *
         *     The token of a program needs `posts:write`.
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
         * @description Returns all forms that a post with this body would have. Nothing is stored.
         *
         *     The token of a program needs `posts:read`.
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
         * @description The same posts as `GET /api/posts`, but without their texts, each with its newest delivery to every site that is still connected.
         *
         *     The token of a program needs `posts:read`.
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
         * @description Changes up to 100 posts, either all or none of them. Publishing sends them to their sites, except for inactive ones. Unpublishing turns published and scheduled posts into drafts. Posts that do not exist are skipped and counted as missing.
         *
         *     The token of a program needs `posts:publish`.
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
         * @description The post with its newest delivery to each site.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["getPost"];
        put?: never;
        post?: never;
        /**
         * Delete a post permanently
         * @description The sites that have the post are sent `post.deleted`.
         *
         *     The token of a program needs `posts:publish`.
         */
        delete: operations["deletePost"];
        options?: never;
        head?: never;
        /**
         * Change a post
         * @description Any subset of the fields; `meta` may be partial. A change to a published post is sent to the sites that have it. The status `draft` takes a published post off the sites; `site_ids` takes it off some and sends it to others.
         *
         *     The token of a program needs `posts:write`.
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
         * @description Publishes to the sites in `site_ids`, or to all that the post is for and that are not inactive. The deliveries are stored before the response is sent.
         *
         *     The token of a program needs `posts:publish`.
         */
        post: operations["publishPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/canonical": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain the canonical addresses of a post
         * @description Which address each of the post's sites is sent as `meta.canonical_url`, and why. Of a post that is not published: what would be sent if it were now.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["getPostCanonical"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a post
         * @description Newest first; the first one is the present one. All versions that were sent to sites are kept, and the last 100 others.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["listRevisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/revisions/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two versions of a post
         * @description The fields that differ, and the blocks of both texts with the words that came and went.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["diffRevisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/revisions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version of a post
         * @description Its fields and its text in all forms, as they were.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["getRevision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/revisions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go back to a version of a post
         * @description Gives the post the fields and the text of the version, as a new version; its slug, status and sites stay. A published post is sent to the sites that have it, as after any other change.
         *
         *     The token of a program needs `posts:write`.
         */
        post: operations["restoreRevision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Duplicate a post
         * @description Creates a draft with the fields and the text of the post, for the same sites. Its title ends in “(Copy)”, its slug in a number. A canonical address that its author gave is left out.
         *
         *     The token of a program needs `posts:write`.
         */
        post: operations["duplicatePost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/working-copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the unpublished changes of a post
         * @description The whole content of the post with the changes. 404 if there are none: `has_changes` of the post says so.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["getWorkingCopy"];
        /**
         * Save changes to a post without publishing them
         * @description Replaces the changes that were saved before; fields that are left out are as in the post. No site is sent anything, and the post stays as it is.
         *
         *     The token of a program needs `posts:write`.
         */
        put: operations["saveWorkingCopy"];
        post?: never;
        /**
         * Discard the unpublished changes of a post
         * @description The post stays as it is.
         *
         *     The token of a program needs `posts:write`.
         */
        delete: operations["discardWorkingCopy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/working-copy/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish the changes of a post
         * @description Makes the changes part of the post, as one `PATCH` would; a published post is sent to the sites that have it. 409 if the post was changed after the changes were begun.
         *
         *     The token of a program needs `posts:publish`.
         */
        post: operations["publishWorkingCopy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/trash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a post into the trash
         * @description The sites that have the post are sent `post.deleted`. It is in no list but `GET /api/posts?status=trash`, and only `untrash` and `DELETE` find it. It is deleted 30 days later.
         *
         *     The token of a program needs `posts:publish`.
         */
        post: operations["trashPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/untrash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a post out of the trash
         * @description The post is a draft, with its text, its revisions and its sites. If another post has its slug by now, its own ends in a number.
         *
         *     The token of a program needs `posts:write`.
         */
        post: operations["untrashPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the preview links of a post
         * @description Those that work, oldest first.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["listPreviews"];
        put?: never;
        /**
         * Make a preview link
         * @description Whoever has the link can read the post as it is then, with its changes that are not published, without an account and without scripts. Search engines are told to leave it out.
         *
         *     The token of a program needs `posts:write`.
         */
        post: operations["createPreview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/previews/{preview_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a preview link back
         * @description Its page says from now on that the preview is over.
         *
         *     The token of a program needs `posts:write`.
         */
        delete: operations["revokePreview"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the proposals to publish posts
         * @description Newest first. One that was followed, or whose post is in the trash, is not there any more.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["listProposals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{id}/proposal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Propose to publish a post
         * @description For programs that write and may not publish: the dashboard shows the proposal in the overview and in the post, and a person decides. It replaces an earlier one. For a published post it is about its working copy; 409 if it has none.
         *
         *     The token of a program needs `posts:write`.
         */
        put: operations["proposePost"];
        post?: never;
        /**
         * Dismiss a proposal to publish a post
         * @description The post stays as it is.
         *
         *     The token of a program needs `posts:write`.
         */
        delete: operations["dismissProposal"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pictures
         * @description All pictures of the account, or those with these words in their name or alternative text, newest first.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["listMedia"];
        put?: never;
        /**
         * Upload a picture
         * @description JPEG, PNG, GIF, WebP or AVIF, by its content and not by its name; at most 20 MiB unless the operator has set another limit, and 50 megapixels. Send it as the field `file` of a form, or as the body with its `Content-Type` and `?name=`. The same bytes again are the same picture: it is answered as it is. What a photograph says of its origin (place, device, author) is not kept.
         *
         *     The token of a program needs `media:write`.
         */
        post: operations["uploadMedium"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/from-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a picture over from an address
         * @description Fetches the picture, as `POST /api/media` takes it, from a public server, so that it is still there when that one is not.
         *
         *     The token of a program needs `media:write`.
         */
        post: operations["addMediumFromUrl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a picture
         * @description What is known of it, and which posts have it.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["getMedium"];
        put?: never;
        post?: never;
        /**
         * Delete a picture
         * @description Its address leads nowhere any more. While posts have it, that is refused with 409 unless `force` is true; sites that have copied it keep their copies.
         *
         *     The token of a program needs `media:write`.
         */
        delete: operations["deleteMedium"];
        options?: never;
        head?: never;
        /**
         * Change a picture
         * @description Changes its name and its alternative text. Posts keep theirs: they have it in their own text. Addresses with the old name still lead to it.
         *
         *     The token of a program needs `media:write`.
         */
        patch: operations["updateMedium"];
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
         * Generate a draft
         * @description Starts a job that writes a draft on a topic; poll it until it is complete. The job never publishes the draft. If no language model is configured, the draft is an outline to write from, and says so.
         *
         *     The token of a program needs `generate`.
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
         * Get a generation job
         * @description The state of the job and, once it is complete, the draft. Jobs are kept for 30 days after they finish.
         *
         *     The token of a program needs `generate`.
         */
        get: operations["getGenerationJob"];
        put?: never;
        post?: never;
        /**
         * Cancel a job
         * @description Stops the work at once and deletes the job. A draft that is already complete stays.
         *
         *     The token of a program needs `generate`.
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
         * @description All sites, oldest first, without their secrets.
         *
         *     The token of a program needs `sites:read`.
         */
        get: operations["listSites"];
        put?: never;
        /**
         * Connect a site
         * @description Generates the API key and the webhook secret. `webhook_url` must be a public https address, unless the operator allows others.
         *
         *     The token of a program needs `sites:write` and `secrets:read`.
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
         * @description The site with its API key and its webhook secret.
         *
         *     The token of a program needs `sites:read` and `secrets:read`.
         */
        get: operations["getSite"];
        put?: never;
        post?: never;
        /**
         * Disconnect a site
         * @description The site's API key stops working and its pending deliveries end. Posts that the site has are not removed from it.
         *
         *     The token of a program needs `sites:write`.
         */
        delete: operations["deleteSite"];
        options?: never;
        head?: never;
        /**
         * Change a site
         * @description Status "inactive" pauses the site: pending deliveries wait until it is "active" again. "active" also ends the status "error".
         *
         *     The token of a program needs `sites:write`.
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
         * @description Replaces both immediately: give the site the new ones before the next post is published.
         *
         *     The token of a program needs `sites:write` and `secrets:read`.
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
         * @description Sends one `site.test` webhook now, or one request to a build hook, which starts a build, and returns the result, which the site keeps as `last_test`. The response is 200 even if the test failed. A receiver answers 200 with `{"ok": true, "store": "files"}` once it has written to where it keeps posts, else 503 with `{"ok": false, "message": "what is wrong"}`.
         *
         *     The token of a program needs `sites:write`.
         */
        post: operations["testSiteDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sites/{id}/backfill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send earlier posts to a site
         * @description Sends every published post that the site may show and that was never delivered to it: those from before the site was connected, and those whose delivery failed. They are queued in the background, oldest first.
         *
         *     The token of a program needs `deliveries:retry`.
         */
        post: operations["backfillSite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sites/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a site again what it lacks
         * @description Queues every failed delivery to the site again that nothing newer has followed, the oldest first, each with a fresh set of attempts, and sends the posts that were published while the site was paused: what `delivery_stats.missing` counts. Failed removals are sent again too.
         *
         *     The token of a program needs `deliveries:retry`.
         */
        post: operations["retrySite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sites/{id}/check-pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look at the pages of a site again
         * @description Has the pages of all posts looked at now that the site accepted and does not show (what `delivery_stats.not_live` counts), and of those of which nobody could look before. With `post_id` it is the page of one post, also of one that was found to be live. What came of it is in `live` of the deliveries moments later. The looks that follow begin anew.
         *
         *     The token of a program needs `deliveries:retry`.
         */
        post: operations["checkPages"];
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
         * Detect a site's platform
         * @description Looks at the site now, as the service does for a site that is connected without a platform. Takes at most 16 seconds; nothing is stored.
         *
         *     The token of a program needs `sites:write`.
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
         * @description Newest first. The cursor keeps pages stable while deliveries are added.
         *
         *     The token of a program needs `posts:read`.
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
         * @description The delivery with every attempt, and the request that an attempt made now would send.
         *
         *     The token of a program needs `posts:read`.
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
         * Retry failed deliveries
         * @description Retries the deliveries in `ids`, or all failed ones of a site or of the account: at most 1,000, newest first. Each gets a fresh set of attempts. Deliveries that cannot be retried are skipped.
         *
         *     The token of a program needs `deliveries:retry`.
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
         * Retry a delivery
         * @description A failed delivery gets a fresh set of attempts. A pending one is attempted at once, and its schedule continues from there.
         *
         *     The token of a program needs `deliveries:retry`.
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
         * Get the totals of a period, overall and per site
         * @description Deliveries are counted in the UTC hour in which they finished. Every hour that the period touches is counted in full.
         *
         *     The token of a program needs `analytics:read`.
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
         * Get deliveries over time
         * @description One entry for every interval of the range, zeros included, in UTC. Weeks begin on Monday.
         *
         *     The token of a program needs `analytics:read`.
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
         * List a post's deliveries with their history
         * @description Deliveries to all sites, newest first, at most 500.
         *
         *     The token of a program needs `posts:read`.
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
         * List failed deliveries
         * @description Deliveries that ended as failed since `from`, newest first, at most 500.
         *
         *     The token of a program needs `analytics:read`.
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
         * Retry a post's failed deliveries
         * @description Each gets a fresh set of attempts. Deliveries replaced by a newer version or to deleted sites are skipped.
         *
         *     The token of a program needs `deliveries:retry`.
         */
        post: operations["retryPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pull/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what has changed for the site
         * @description Every post that changed since the cursor, once, as it is now; posts that the site may not show any more are `deleted`. Without a cursor: every post that the site may show. Ask again with the answer's cursor while `more` is true. Removals are remembered for 90 days; a cursor that is older than what is remembered is answered 410.
         */
        get: operations["pullChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pull/confirmations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm many deliveries or report their failures
         * @description Up to 100 reports at once, each as `POST /api/pull/confirm` takes it, but for `site_id`, which may be left out. Each is stored or refused by itself.
         */
        post: operations["confirmDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pull/digest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a digest of what the site should have
         * @description For finding out with one small request whether the site has every post in its current version.
         */
        get: operations["pullDigest"];
        put?: never;
        /**
         * Compare what the site has with what it should have
         * @description Says which posts the site lacks, which it has in an older version and which it should not show. With `send`, the first two are sent to it by webhook.
         */
        post: operations["comparePosts"];
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
         * @description One page at a time, the latest published first. To stay level with the service, follow `GET /api/pull/changes` instead.
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
         * @description Finds a post by its current slug. It has the same fields as in webhooks.
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
    "/api/pull/preview/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a post by its preview link
         * @description For a preview in the site's own design: the post as it would be pulled if it were published now, with its changes that are not published. The page must not be kept by caches or search engines.
         */
        get: operations["pullPreview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pull/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look up which post an address means
         * @description The post that has the slug, else the one that had it before: redirect visitors to its present `slug`. Where there is none, the answer is 200 too, without `post`, so that a page that does not exist can be cached like any other. The slug `preview-TOKEN` means the post of that preview link, and is its `slug` in the answer: a page that shows posts shows previews, too. Ask anew each time for those.
         */
        get: operations["lookUpPost"];
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
         * Confirm a delivery or report its failure
         * @description "delivered" completes a pending delivery, or records one for a post that was pulled. "failed" stores the message and lets retries continue, or records a failed delivery for a post that was pulled.
         */
        post: operations["confirmDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List imports
         * @description The imports of the account, newest first. Each is kept for 30 days after anything last happened to it.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["listImports"];
        put?: never;
        /**
         * Upload posts of another system
         * @description Takes an export file of WordPress (XML) or Ghost (JSON), or a zip archive of Markdown files with front matter, of one of these, or of an export of Postrider: as the field `file` of a form, or as the body itself. The content says what it is, whatever its type. At most `IMPORT_MAX` bytes (256 MiB unless the operator says otherwise). Nothing is imported yet: the posts are looked at, and the import's report says what would become of them. Poll it until it is `ready`, then run it.
         *
         *     The token of a program needs `posts:publish`.
         */
        post: operations["createImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an import
         * @description The state of the import, and its report: complete when it is `ready`.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["getImport"];
        put?: never;
        post?: never;
        /**
         * Undo or forget an import
         * @description Undoes an import that has been run, also while it runs: posts that it made are removed, and those that it changed become what they were. Posts that were changed, published or sent to a site since are left alone. An import that did nothing yet, or was undone, is forgotten.
         *
         *     The token of a program needs `posts:publish`.
         */
        delete: operations["deleteImport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/imports/{id}/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the posts of an import
         * @description The posts of the file in its order: what becomes of each, and what is lost of it. Posts that were not looked at yet are missing.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["listImportedPosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/imports/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an import
         * @description Imports what is new and what has changed. Published posts arrive as published, with their dates, and no site is sent them: sites that pull see them, and a backfill sends them. A post that was imported before is changed only if nobody has changed it here since; sites that were sent it are sent the change.
         *
         *     The token of a program needs `posts:publish`.
         */
        post: operations["runImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export all posts
         * @description A zip archive of all posts of the account, drafts and scheduled ones included, but for the trash and former versions. It is written while it is read. If the connection ends before the archive is complete, it cannot be opened: export again.
         *
         *     The token of a program needs `posts:read`.
         */
        get: operations["exportPosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notification channels
         * @description All channels, oldest first, and whether this service can send mail.
         */
        get: operations["listNotificationChannels"];
        put?: never;
        /**
         * Add a notification channel
         * @description A message says that a site stopped accepting posts, that it accepts them again, that a post was published late, or what became of a draft. An e-mail address is sent a link first and gets messages once somebody has followed it; 503 where the service cannot send mail. At most 20 channels.
         */
        post: operations["createNotificationChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a notification channel
         * @description What waits to be sent over it is dropped.
         */
        delete: operations["deleteNotificationChannel"];
        options?: never;
        head?: never;
        /**
         * Change a notification channel
         * @description Changes where its messages go, or what it is told. A new e-mail address has to accept first.
         */
        patch: operations["updateNotificationChannel"];
        trace?: never;
    };
    "/api/notifications/channels/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message
         * @description Sends a sample now, and says whether it arrived. An e-mail address that has not accepted yet is sent the link again instead (202).
         */
        post: operations["testNotificationChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept messages at an e-mail address
         * @description With the token of the link that a new address is sent. It needs no login: whoever has the mail may accept, or not.
         */
        post: operations["verifyNotificationAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the incidents
         * @description Times in which a site did not accept posts, or did not show them: those that last, then the last 20 that ended. One begins when a delivery has failed for good, or five attempts in a row, or when the page of a post that was accepted does not show it; it ends once the site has been fine for a minute.
         *
         *     The token of a program needs `analytics:read`.
         */
        get: operations["listIncidents"];
        put?: never;
        post?: never;
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
         * Stream changes
         * @description Server-sent events. Each has the fields `event` and `data` (JSON); the schema describes one event.
         *
         *     The first event is `ready`: fetch what you show, because events announce only what changes from then on, also after a
         *     reconnection. The events of each kind of thing, such as `post.changed` and `delivery.changed`, name what was created, changed or removed, by
         *     id; fetch it again. Changes within half a second come together. After `resync` anything may have changed: more than 200 things at
         *     once, or changes may have been missed. The stream ends when the login does. An account can have 20 streams open per process of
         *     the service.
         *
         *     The token of a program needs `posts:read`.
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
         * @description A post is published that the site has not been sent before. Store it under its `id`.
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
         * @description A published post has changed or is published again. The event carries the whole post: replace your copy, and redirect its `previous_slugs`, if any. Once a version has been received, no older one is sent.
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
         * @description A post is deleted or no longer published. Remove your copy. `slug` is the post's last slug.
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
         * @description Sent by `POST /api/sites/{id}/test-delivery` to test the connection. Do not store the sample post.
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
            /**
             * Format: uuid
             * @description The `primary_site_id` of posts that are created without one.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            primary_site_id: string | null;
            limits: {
                /** @description The plan's request limit and what is left of it; null when requests are not limited. */
                management: {
                    /** @description Requests per window. */
                    limit: number;
                    /** @description Requests left in this window. */
                    remaining: number;
                    /** @description Seconds until the window ends. */
                    reset_seconds: number;
                } | null;
            };
            generation: {
                /**
                 * @description Provider and name of the language model that writes drafts. Null when none is configured; drafts are then outlines.
                 * @example openai-compatible/llama3.1
                 */
                model: string | null;
            };
        };
        AddMediumFromUrl: {
            /**
             * Format: uri
             * @example https://blog.example.com
             */
            url: string;
            name?: string;
            alt?: string;
        };
        ApiToken: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            name: string;
            scopes: components["schemas"]["Scope"][];
            /** @description The sites that it is limited to; null: none. */
            site_ids: string[] | null;
            /** @description How it ends. */
            last_four: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Exact to a minute; null: never.
             * @example 2026-11-02T08:00:00.000Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            expires_at: string | null;
        };
        ApiTokenList: {
            tokens: components["schemas"]["ApiToken"][];
        };
        Backfill: {
            /**
             * Format: date-time
             * @description Only posts published since then.
             * @example 2026-11-02T09:30:00+01:00
             */
            since?: string;
            /**
             * @description Only posts with this tag.
             * @example bread
             */
            tag?: string;
            /** @description Only count; send nothing. */
            dry_run?: boolean;
        };
        BackfillResult: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string;
            dry_run: boolean;
            /** @description How many posts were never delivered: these are sent, oldest first. */
            posts: number;
            /** @description How many were on their way already: these are not sent again. */
            pending: number;
        };
        BlockChange: {
            /** @enum {string} */
            change: "same" | "added" | "removed" | "changed";
            /** @description The block: `paragraph`, `heading`, `bulletList`, `codeBlock`, … */
            type: string;
            /** @description Its text; absent if the block has changed. */
            text?: string;
            /** @description The text of a changed block, in runs of words. If all of them are the same, its formatting or links have changed. */
            words?: {
                /** @enum {string} */
                change: "same" | "added" | "removed";
                text: string;
            }[];
        };
        /** @description The same text in three forms. `json` is the canonical one. */
        BodyForms: {
            /** @description Sanitised HTML: the one field that a page may insert as it is. */
            html: string;
            /** @description CommonMark with GitHub's tables, task lists, footnotes and strikethrough. The author gets it as it was given; what sites get has in it no HTML that was not sanitised, and no address that the HTML may not have. */
            markdown: string;
            json: components["schemas"]["RichText"];
        };
        CanonicalAddress: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string;
            /** @description What the site is sent as `meta.canonical_url`; null: it is absent. */
            canonical_url: string | null;
            /**
             * @description `author`: the post's own `meta.canonical_url`. `primary_live`: where the original's site said that it shows the post. `primary_pattern`: what its `post_url` says. `own_live`, `own_pattern`: the same of the site itself, whose `canonical` is `own`. `unknown`: the address is not known. `none`: the post has no original.
             * @enum {string}
             */
            source: "author" | "primary_live" | "primary_pattern" | "own_live" | "own_pattern" | "unknown" | "none";
            /** @description Why the address is not known, a sentence; null if it is known or not needed. */
            problem: string | null;
        };
        CanonicalAddresses: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id: string;
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            primary_site_id: string | null;
            sites: components["schemas"]["CanonicalAddress"][];
        };
        ChangePassword: {
            /** Format: password */
            current_password: string;
            /**
             * Format: password
             * @description Not one of the most common passwords, nor the account's e-mail address or its name, nor `postrider`.
             */
            new_password: string;
        };
        ChangePosts: {
            /** @enum {string} */
            action: "publish" | "unpublish" | "trash" | "untrash" | "delete" | "tag" | "untag";
            ids: string[];
            /** @description Required with the actions "tag" and "untag", and allowed only with them. */
            tag?: string;
            /** @description Allowed only with the action "publish": the sites that the posts are for from now on, null for all. Posts that are published already are not sent again to sites that have them. Default: each post goes to its own sites. */
            site_ids?: string[] | null;
            /** @description Allowed only with the action "publish": the site with the original of those of the posts that have none. The others keep theirs. */
            primary_site_id?: string;
        };
        CheckPages: {
            /**
             * Format: uuid
             * @description Only the page of this post, also if it was found to be live.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id?: string;
        };
        Confirm: {
            post_id: string;
            /** @description The id of the key's own site. */
            site_id: string;
            /** @enum {string} */
            status: "delivered" | "failed";
            /** @description The version of the post that the site has: deliveries of newer versions go on. Without it the report is about the newest. */
            version?: number;
            /** @description The address at which the site shows the post, or its path on the host of the site’s `url`; the delivery shows it as `live`. */
            published_url?: string;
            /** @description Why the site could not take the post. */
            error_message?: string | null;
            /** @description Stored with the delivery. At most 16,384 characters as JSON. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        Confirmation: {
            post_id: string;
            /** @description The id of the key's own site. */
            site_id?: string;
            /** @enum {string} */
            status: "delivered" | "failed";
            /** @description The version of the post that the site has: deliveries of newer versions go on. Without it the report is about the newest. */
            version?: number;
            /** @description The address at which the site shows the post, or its path on the host of the site’s `url`; the delivery shows it as `live`. */
            published_url?: string;
            /** @description Why the site could not take the post. */
            error_message?: string | null;
            /** @description Stored with the delivery. At most 16,384 characters as JSON. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        ConfirmationResult: {
            post_id: string;
            /**
             * @description The report is stored.
             * @enum {string}
             */
            status?: "delivered" | "failed";
            /** @description The report was refused, for this reason. */
            error?: string;
            message?: string;
        };
        ConfirmationResults: {
            confirmations: components["schemas"]["ConfirmationResult"][];
        };
        Confirmations: {
            confirmations: components["schemas"]["Confirmation"][];
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
        /** @description What every error response contains. */
        Conflict: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "conflict";
            /**
             * @description The dotted path of the input that caused the error.
             * @example meta.title
             */
            field: string;
        };
        /** @description Something that readers would have seen or used, and that was lost. */
        ConversionWarning: {
            /**
             * @description `element_removed`, `attribute_removed`, `link_removed`, `media_removed`: it is in no form of the body any more, except for what the message says. `form_cannot_hold`: the HTML still has it, the other forms do not.
             * @enum {string}
             */
            code: "element_removed" | "attribute_removed" | "link_removed" | "media_removed" | "form_cannot_hold";
            /**
             * @description The form that had it, or the one that cannot hold it.
             * @example body.html
             */
            field: string;
            message: string;
            /** @description How often. */
            count: number;
        };
        /** @description The same text in three forms. `json` is the canonical one. */
        ConvertedBody: components["schemas"]["BodyForms"] & {
            word_count: number;
            /** @description What the conversion of the given body could not keep; absent if that is nothing. */
            warnings?: components["schemas"]["ConversionWarning"][];
        };
        CreateApiToken: {
            /** @description What it is for. */
            name: string;
            /** @description What it may do. */
            scopes: components["schemas"]["Scope"][];
            /** @description Limits it to these sites, the posts that one of them gets, and changes of posts that go to no other. It cannot use what concerns all sites then. Without them, it is for all sites. */
            site_ids?: string[];
            /**
             * Format: date-time
             * @description When it stops working. Without it, it works until it is revoked.
             */
            expires_at?: string;
        };
        CreateNotificationChannel: {
            kind: components["schemas"]["NotificationChannelKind"];
            /**
             * @description An e-mail address, or the address of a webhook.
             * @example ada@example.com
             */
            target: string;
            /** @description What to tell; everything but `draft.ready` if it is not given. */
            events?: components["schemas"]["NotificationEvent"][];
            /** @description Read-only: accepted and ignored. */
            readonly id?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly status?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly last_error?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly secret?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly created_at?: unknown;
        };
        CreatePost: {
            title: string;
            /**
             * @description Derived from the title if it is not given. It becomes lower-case letters, digits and single hyphens, at most 120 characters; a taken slug is refused with 409.
             * @example bread-without-kneading
             */
            slug?: string;
            excerpt?: string;
            /** @description Duplicates are removed. */
            tags?: string[];
            meta?: {
                title?: string | null;
                description?: string | null;
                og_image?: "" | string | null;
                canonical_url?: "" | string | null;
            };
            /** @description A site of the account; null: none. A new post has the account's `primary_site_id` unless it is given one. On a published post, the sites whose `meta.canonical_url` changes by it are sent `post.updated`; the version stays. */
            primary_site_id?: string | null;
            /** @description Any of the three forms; the others are derived. If several are given, the richest one is the source (json before html before markdown), and the others are kept as given. */
            body?: {
                /** @description HTML; it is sanitised. At most 1 MiB. */
                html?: string;
                /** @description CommonMark with GitHub's extensions. At most 1 MiB. */
                markdown?: string;
                json?: components["schemas"]["RichText"];
            };
            status?: components["schemas"]["PostStatus"];
            /** @description The sites that the post is for: whenever it is published without naming sites, by its status, by its schedule or by a publish request. Null, the default: every site, also those connected later. An empty list: no site. On a published post, sites that come in are sent `post.published` and sites that go out `post.deleted`; the version stays. */
            site_ids?: string[] | null;
            /**
             * Format: date-time
             * @description A time in the future. Required with the status `scheduled`, and allowed only with it.
             * @example 2026-11-02T09:30:00+01:00
             */
            scheduled_at?: string | null;
            /**
             * Format: date-time
             * @description A time in the future, after `scheduled_at`, at which the post becomes a draft, as if its status were set to `draft` then. Unpublishing it earlier removes it.
             * @example 2026-12-24T18:00:00+01:00
             */
            unpublish_at?: string | null;
            /**
             * @description The time zone by which the schedule was planned, an IANA name, for showing it again; `scheduled_at` alone says when. Allowed only with the status `scheduled`.
             * @example Asia/Tokyo
             */
            schedule_zone?: string | null;
            /** @description Read-only: accepted and ignored. */
            readonly id?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly version?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly published_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly late_by_seconds?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly created_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly has_changes?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly trashed_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly updated_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly deliveries?: unknown;
        };
        CreatePreview: {
            /**
             * @description For how many seconds the link works.
             * @default 604800
             */
            expires_in?: number;
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
             * @description Must be a public https address, unless the operator allows others.
             * @example https://blog.example.com/webhooks/postrider
             */
            webhook_url: string;
            platform?: components["schemas"]["Platform"] & unknown;
            kind?: components["schemas"]["SiteKind"] & unknown;
            /** @description Of a build hook: at most one request in so many seconds. Null: 60. */
            debounce_seconds?: number | null;
            /**
             * @description The pattern of a post's address on the site, with `{slug}` or `{id}`, also `{yyyy}` and `{mm}`.
             * @example https://blog.example.com/posts/{slug}
             */
            post_url?: string | null;
            canonical?: components["schemas"]["SiteCanonical"] & unknown;
            recovery?: components["schemas"]["Recovery"] & unknown;
            /** @description Whether the page of a post that the site accepted is looked at: after 5 seconds, 1, 5 and 30 minutes, 6 hours and then daily for a week, until it shows the post. Only pages on the host of `url` or `post_url` are. What came of it is `live` of the delivery, whose status it never changes. `false` if it is not given. */
            verify?: boolean;
            /** @description What the site is made with, where the platform says too little: a name of its owner’s choice. The dashboard keeps here what was chosen when the site was connected; null if nothing was. */
            framework?: string | null;
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
            readonly last_test?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly created_at?: unknown;
        };
        DeliveriesOverTime: {
            /** @enum {string} */
            granularity: "hour" | "day" | "week" | "month";
            /**
             * Format: uuid
             * @description The requested site; null for all sites.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string | null;
            data: components["schemas"]["TimelineUnit"][];
        };
        DeliveriesRequeued: {
            /** @description The number of deliveries that are queued again. */
            queued: number;
            /** @description Whether there may be more deliveries to retry; if so, repeat the request. */
            more: boolean;
            /** @description The result in a sentence. */
            message: string;
        };
        Delivery: {
            /**
             * Format: uuid
             * @description Sent with every attempt as the header `X-Service-Delivery`.
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
            /** @description The HTTP status that the site returned to the last attempt; null if it did not answer. */
            response_code: number | null;
            response_time_ms: number | null;
            last_error: string | null;
            /** @description The `metadata` that the site sent when it confirmed. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Every attempt; present once one has failed. */
            history?: components["schemas"]["DeliveryAttempt"][];
        };
        DeliveryAttempt: {
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            at: string;
            /** @description The HTTP status that the site returned; null if it did not answer. */
            code: number | null;
            /** @description An error code such as `timeout`; null for a success. */
            error: string | null;
        };
        DeliveryDetails: components["schemas"]["LoggedDelivery"] & {
            webhook_url: string;
            /** @description The `metadata` that the site sent when it confirmed. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Every attempt, oldest first; empty if the first attempt succeeded. */
            history: components["schemas"]["LoggedAttempt"][];
            /** @description The request that an attempt made now would send, freshly signed. Requests are not stored; those of earlier attempts had other timestamps and signatures. Null if the site is deleted. */
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
             * @description The `cursor` of the next page; null on the last one.
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
        /**
         * @description `delivered_retry`: delivered, but not by the first attempt.
         * @enum {string}
         */
        DeliveryStatus: "pending" | "delivered" | "delivered_retry" | "failed";
        DetectedPlatform: {
            platform: components["schemas"]["Platform"] & unknown;
            /** @description What the page itself says it was made with (`<meta name="generator">`), of any software; absent if it says nothing. */
            generator?: string;
            /** @description Whether the site answered. If not, nothing is known about it. */
            reached: boolean;
            /** @description Why the site was not reached: an error code such as `dns_error`. */
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
             * @description When all first attempts are likely to have been made.
             * @example 2026-11-02T08:00:00.000Z
             */
            estimated_delivery: string;
        };
        /** @description What every error response contains. */
        Error: {
            /**
             * @description The error code, for programs.
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
            /** @description False if a newer version has been delivered, the post was taken off the site, or the post or the site is deleted. */
            can_retry: boolean;
        };
        Failures: {
            failures: components["schemas"]["FailedDelivery"][];
        };
        /** @description The FAQ as JSON-LD, to be embedded in the page; null without a FAQ. */
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
        FieldChange: {
            /** @enum {string} */
            field: "title" | "slug" | "excerpt" | "tags" | "meta";
            from?: unknown;
            to?: unknown;
        };
        /** @description What every error response contains. */
        Forbidden: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "forbidden";
            /**
             * @description The scope that the token lacks.
             * @example posts:publish
             */
            required_scope?: string;
        };
        ForgotPassword: {
            email: string;
        };
        FoundPost: {
            post?: components["schemas"]["PulledPost"];
        };
        GenerateDraft: {
            /** @example How to water tomatoes in a hot summer */
            topic: string;
            /** @description Writes the draft for the readers of this site, using its niche and its published posts. */
            site_id?: string;
            /**
             * @description `short`, `medium` and `long` are about 800, 1,500 and 2,500 words.
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
             * @description The first is the main keyword.
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
            /** @description Estimated seconds until the job is finished, from past jobs and this one's progress. */
            estimated_seconds: number;
            progress: {
                /** @enum {string} */
                step: "outline" | "sections" | "faq" | "details" | "saving";
                /** @description How much of the whole job is done. */
                percent: number;
                /** @description While sections are written: the number of the current one. */
                part?: number;
                /** @description While sections are written: how many there are, introduction and conclusion included. */
                parts?: number;
            };
            /**
             * @description `outline` if no language model is configured; otherwise provider and model.
             * @example openai-compatible/llama3.1
             */
            generator: string;
            target_words: number;
            /** @description The number of words of the body; null until the job is complete. */
            actual_words: number | null;
            /** @description What to check before publishing. */
            warnings: string[];
            keywords: {
                keyword: string;
                primary: boolean;
                occurrences: number;
                /** @description The keyword's share of all words, in percent. */
                density: number;
                in_title: boolean;
                in_slug: boolean;
                in_description: boolean;
                /** @description Whether the keyword occurs in the first 100 words. */
                in_introduction: boolean;
                in_headings: boolean;
            }[];
            /** @description The questions and answers at the end of the body. */
            faq: {
                question: string;
                answer: string;
            }[];
            structured_data: components["schemas"]["FaqPage"];
            tokens: {
                input: number;
                output: number;
            };
            /** @description Why the job failed, and what to do about it. */
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
        /**
         * @description `complete`: the draft is ready.
         * @enum {string}
         */
        GenerationStatus: "processing" | "complete" | "failed";
        /** @description What every error response contains. */
        Gone: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "gone";
        };
        HeldPosts: {
            have: {
                id: string;
                version: number;
            }[];
            /** @description Whether to send the missing and the outdated posts by webhook, oldest first. Default: false. */
            send?: boolean;
        };
        Import: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            import_id: string;
            /** @description The name of the file. */
            name: string;
            /** @enum {string} */
            format: "wordpress" | "ghost" | "markdown" | "postrider";
            status: components["schemas"]["ImportStatus"];
            /** @description Why it failed; otherwise null. */
            problem: string | null;
            /** @description How far the work is: looking at posts, importing them, or undoing that. */
            progress: {
                /** @description How many are done. */
                done: number;
                /** @description Of how many. */
                total: number;
            };
            /** @description How many posts of the file are new, and so on; complete when it is `ready`. */
            counts: {
                /** @description Posts that are made. */
                new: number;
                /** @description Posts that were imported before, and are the same in the file. */
                same: number;
                /** @description Posts that were imported before, are different in the file, and were not changed here since. */
                changed: number;
                /** @description Entries that are not imported. */
                refused: number;
            };
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
        ImportedPost: {
            /** @description Where in the file. */
            place: number;
            /** @description What it is known by: the same whenever it is exported again. */
            source_id: string;
            title: string;
            /** @enum {string} */
            outcome: "new" | "same" | "changed" | "refused";
            /** @description Why it is refused; otherwise null. */
            reason: string | null;
            /** @description The one that the post is to have, or has. */
            slug: string | null;
            author: string | null;
            losses: components["schemas"]["ImportLoss"][];
            /** @description Addresses of pictures and files on other hosts; at most 200. */
            media: string[];
            redirects: {
                from: string;
                to: string;
            }[];
            /**
             * Format: uuid
             * @description The post that was made or changed; null before that.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id: string | null;
            /** @description Whether it was undone; null if that was not tried. */
            undone: boolean | null;
        };
        ImportedPostPage: {
            data: components["schemas"]["ImportedPost"][];
            pagination: components["schemas"]["Pagination"];
        };
        ImportLoss: {
            /**
             * @description What kind of thing: those of conversion warnings, and for example `shortcode`, `dynamic_block`, `card`, `relative_address`, `not_public`, `no_date`. More may come.
             * @example shortcode
             */
            code: string;
            message: string;
            /** @description How often. */
            count: number;
        };
        ImportPage: {
            data: components["schemas"]["Import"][];
            pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description `reading`: the posts are being looked at; `ready`: the report says what would be done, and `run` does it; `complete`; `failed`: `problem` says why. An import that is undone goes through `undoing` to `undone`.
         * @enum {string}
         */
        ImportStatus: "reading" | "ready" | "importing" | "complete" | "failed" | "undoing" | "undone";
        ImportWithReport: components["schemas"]["Import"] & {
            report: {
                /** @description Posts that are made. */
                new: number;
                /** @description Posts that were imported before, and are the same in the file. */
                same: number;
                /** @description Posts that were imported before, are different in the file, and were not changed here since. */
                changed: number;
                /** @description Entries that are not imported. */
                refused: number;
                /** @description Posts that lose something. */
                lossy: number;
                /** @description What is lost in all, the most frequent first; at most 100 kinds. The list of posts has what each loses. */
                losses: (components["schemas"]["ImportLoss"] & {
                    /** @description In how many posts. */
                    posts: number;
                })[];
                /** @description Pictures and files on other hosts, to which posts go on to lead. */
                media: number;
                /** @description Pictures that come along into the library: those of the file that posts name, and those of other hosts as they are taken over. */
                pictures: number;
                /** @description Former addresses that lead to posts: their former slugs. */
                redirects: number;
                /** @description Who wrote the posts; at most 100. Posts here have no authors. */
                authors: {
                    name: string;
                    /** @description How many posts of the file are theirs. */
                    posts: number;
                }[];
                /** @description Posts that undoing has removed, or given back what they were. */
                undone: number;
                /** @description Posts that undoing has left alone, because they were changed, published or sent to a site since. */
                kept: number;
            };
        };
        Incident: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            kind: components["schemas"]["IncidentKind"];
            site: {
                /**
                 * Format: uuid
                 * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
                 */
                id: string;
                name: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            opened_at: string;
            /**
             * Format: date-time
             * @description When the site was fine again; null while it is not.
             * @example 2026-11-02T08:00:00.000Z
             */
            closed_at: string | null;
            /** @description What went wrong first, and what to check. */
            reason: string | null;
            /** @description Deliveries that failed for good meanwhile. */
            failures: number;
            /** @description Posts that the site should have and does not; 0 once the incident has ended. */
            missing: number;
            /** @description Posts that the site accepted and does not show; 0 once the incident has ended. */
            not_live: number;
        };
        /**
         * @description `failing`: the site does not accept posts. `not_live`: it accepts posts and does not show them (sites with `verify`).
         * @enum {string}
         */
        IncidentKind: "failing" | "not_live";
        IncidentList: {
            incidents: components["schemas"]["Incident"][];
        };
        /** @description What every error response contains. */
        InternalError: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "internal_error";
            /**
             * Format: uuid
             * @description The same as in `X-Request-Id`.
             */
            request_id: string;
        };
        ListedPost: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            /** @description Starts at 1 and increases with every change. */
            version: number;
            /** @description Plain text: escape it before it goes into HTML. */
            title: string;
            /** @description Unique within the account. */
            slug: string;
            /** @description Empty if there is none. Plain text: escape it before it goes into HTML. */
            excerpt: string;
            /** @description Plain text: escape it before it goes into HTML. */
            tags: string[];
            meta: components["schemas"]["PostMeta"];
            /**
             * Format: uuid
             * @description The site that shows the original: the others are sent its address as `meta.canonical_url`, unless the author gave one. Null: the post has no original. Sites do not get it.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            primary_site_id: string | null;
            status: components["schemas"]["PostStatus"];
            /**
             * Format: date-time
             * @description When the post was put into the trash, 30 days before it is deleted; absent if it is not there.
             * @example 2026-11-02T08:00:00.000Z
             */
            trashed_at?: string;
            /** @description Whether the post has a working copy: changes that are not published. */
            has_changes: boolean;
            /** @description The sites that the post is for, as far as they are connected; null: every site, also those connected later. Sites do not get it. */
            site_ids: string[] | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            scheduled_at: string | null;
            /**
             * @description The time zone by which the schedule was planned; absent if none was given. Sites do not get it.
             * @example Asia/Tokyo
             */
            schedule_zone?: string;
            /**
             * Format: date-time
             * @description When the post becomes a draft again. Sites do not get it.
             * @example 2026-11-02T08:00:00.000Z
             */
            unpublish_at: string | null;
            /**
             * Format: date-time
             * @description When the post was first published.
             * @example 2026-11-02T08:00:00.000Z
             */
            published_at: string | null;
            /** @description How many seconds after its scheduled time the post was published; null if no schedule published it. */
            late_by_seconds: number | null;
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
        /** @description `claimed`: the site named the address, in its answer to the webhook (`{"url": "https://…"}`) or in its confirmation (`published_url`). The other states come from looking at the page, for sites with `verify`. `verified`: it shows the post. `wrong`: it does not, shows an earlier version, or cannot be read. `gone`: it answers 404 or 410. Of a removal, `verified` says that the page is gone, `wrong` that it still shows the post. */
        LiveAddress: {
            /** @enum {string} */
            state: "unknown" | "claimed" | "verified" | "wrong" | "gone";
            url: string | null;
            /**
             * Format: date-time
             * @description When the page was last looked at with a result.
             * @example 2026-11-02T08:00:00.000Z
             */
            checked_at: string | null;
            /** @description Why the post is not live, or not gone, or why its page could not be looked at: a sentence. */
            problem: string | null;
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
            data: {
                ids: string[];
            };
        } | {
            /** @enum {string} */
            event: "delivery.changed";
            data: {
                ids: string[];
            };
        } | {
            /** @enum {string} */
            event: "job.changed";
            data: {
                ids: string[];
            };
        } | {
            /** @enum {string} */
            event: "site.changed";
            data: {
                ids: string[];
            };
        } | {
            /** @enum {string} */
            event: "channel.changed";
            data: {
                ids: string[];
            };
        } | {
            /** @enum {string} */
            event: "incident.changed";
            data: {
                ids: string[];
            };
        } | {
            /** @enum {string} */
            event: "medium.changed";
            data: {
                ids: string[];
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
            /** @description For a failed attempt, the beginning of the site's response body: at most 500 characters. */
            response: string | null;
        };
        LoggedDelivery: {
            /**
             * Format: uuid
             * @description Sent with every attempt as the header `X-Service-Delivery`.
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
            /** @description The post's current title, or the last one of a deleted post. */
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
            live: components["schemas"]["LiveAddress"];
            response_time_ms: number | null;
            last_error: string | null;
            /** @description How many seconds after the post's scheduled time the first attempt began, or would begin now while none was made; null if no schedule caused the delivery. */
            late_by_seconds: number | null;
            /** @description Whether a failed delivery can be retried. False if a newer version has been delivered, the post was taken off the site, or the site or the post is deleted; a failed `post.deleted` can be retried although the post is deleted. */
            can_retry: boolean;
        };
        Login: {
            email: string;
            /** Format: password */
            password: string;
            /**
             * @description What to return; "token" by default. "cookie" is for the service's own pages: the response is 204 and sets a cookie that scripts cannot read.
             * @enum {string}
             */
            session?: "token" | "cookie";
        };
        MediaPage: {
            media: components["schemas"]["Medium"][];
            /** @description For the next page; null on the last. */
            cursor: string | null;
        };
        Medium: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            /** @description Of the bytes at `url`. They are those that were uploaded, without what these said of their origin: where a photograph was taken, with which device, by whom. */
            sha256: string;
            name: string;
            /** @description What the picture shows, for those who do not see it. Empty if nobody said. */
            alt: string;
            /** @enum {string} */
            type: "image/jpeg" | "image/png" | "image/gif" | "image/webp" | "image/avif";
            /** @description As it is shown. */
            width: number;
            height: number;
            bytes: number;
            /**
             * Format: uri
             * @description Its public address, without a login. What is there never changes, and may be kept for ever. `?w=` and `?f=` ask for a width (320, 640, 960, 1280 or 1920) and a format (`webp` or `avif`); a picture is never made larger, and one that moves is served as it is.
             */
            url: string;
            /** @description What is narrower than the picture, for `srcset`. */
            variants: {
                width: number;
                /** @enum {string} */
                type: "image/jpeg" | "image/png" | "image/gif" | "image/webp" | "image/avif";
                /** Format: uri */
                url: string;
            }[];
            /** @description The posts that have it, the newest first; at most 20. */
            used_in: {
                /**
                 * Format: uuid
                 * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
                 */
                id: string;
                title: string;
                status: string;
            }[];
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
        };
        /** @description What every error response contains. */
        MethodNotAllowed: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "method_not_allowed";
        };
        NewApiToken: components["schemas"]["ApiToken"] & {
            /** @description The token. It is shown this once. */
            token: string;
        };
        /** @description What every error response contains. */
        NotFound: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "not_found";
        };
        NotificationChannel: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            kind: components["schemas"]["NotificationChannelKind"];
            /** @description Where messages go. Of a Slack webhook only its host is shown (`https://host/***`), since whoever has the address can post; that also means "unchanged" in a change. */
            target: string;
            events: components["schemas"]["NotificationEvent"][];
            status: components["schemas"]["NotificationChannelStatus"];
            last_error: string | null;
            /** @description Signs the requests to a webhook; the other kinds have none. */
            secret?: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
        };
        /**
         * @description `email`: a mail to an address, which has to accept first. `slack`: the address of an incoming webhook of Slack, or of a chat that takes the same (Mattermost, Rocket.Chat, Discord with `/slack`). `webhook`: a request signed like those to sites.
         * @enum {string}
         */
        NotificationChannelKind: "email" | "slack" | "webhook";
        NotificationChannelList: {
            channels: components["schemas"]["NotificationChannel"][];
            /** @description Whether this service can send mail. */
            email: boolean;
        };
        /**
         * @description `unverified`: the address has not accepted yet, and is sent nothing else. `failing`: the last message did not arrive; `last_error` says why.
         * @enum {string}
         */
        NotificationChannelStatus: "unverified" | "active" | "failing";
        /** @enum {string} */
        NotificationEvent: "site.failing" | "site.recovered" | "delivery.failed" | "site.not_live" | "site.live" | "post.late" | "draft.ready" | "draft.failed";
        NotificationTest: {
            ok: boolean;
            /** @description Why it did not arrive. */
            error: string | null;
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
                /** @description The number of finished deliveries. */
                deliveries: number;
                successful: number;
                failed: number;
                /** @description Deliveries that needed more than one attempt. */
                retried: number;
                /** @description Percentage of finished deliveries that succeeded, with one decimal; null if none has finished. */
                success_rate: number | null;
                /** @description Mean response time of successful attempts; null if there are none. */
                avg_delivery_ms: number | null;
                /** @description Posts that were published for the first time, also those that were unpublished since; with `site_id`, only those that the site may see now. Deleted posts are not counted. */
                posts_published: number;
            };
            sites: components["schemas"]["SiteTotals"][];
        };
        PagesChecked: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string;
            /** @description Of how many posts the pages are looked at. */
            posts: number;
        };
        Pagination: {
            page: number;
            limit: number;
            /** @description The number of items on all pages. */
            total: number;
            pages: number;
        };
        /** @description What every error response contains. */
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
            /** @description Starts at 1 and increases with every change. */
            version: number;
            /** @description Plain text: escape it before it goes into HTML. */
            title: string;
            /** @description Unique within the account. */
            slug: string;
            /** @description Empty if there is none. Plain text: escape it before it goes into HTML. */
            excerpt: string;
            /** @description Plain text: escape it before it goes into HTML. */
            tags: string[];
            meta: components["schemas"]["PostMeta"];
            /**
             * Format: uuid
             * @description The site that shows the original: the others are sent its address as `meta.canonical_url`, unless the author gave one. Null: the post has no original. Sites do not get it.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            primary_site_id: string | null;
            body: components["schemas"]["BodyForms"];
            status: components["schemas"]["PostStatus"];
            /**
             * Format: date-time
             * @description When the post was put into the trash, 30 days before it is deleted; absent if it is not there.
             * @example 2026-11-02T08:00:00.000Z
             */
            trashed_at?: string;
            /** @description Whether the post has a working copy: changes that are not published. */
            has_changes: boolean;
            /** @description The sites that the post is for, as far as they are connected; null: every site, also those connected later. Sites do not get it. */
            site_ids: string[] | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            scheduled_at: string | null;
            /**
             * @description The time zone by which the schedule was planned; absent if none was given. Sites do not get it.
             * @example Asia/Tokyo
             */
            schedule_zone?: string;
            /**
             * Format: date-time
             * @description When the post becomes a draft again. Sites do not get it.
             * @example 2026-11-02T08:00:00.000Z
             */
            unpublish_at: string | null;
            /**
             * Format: date-time
             * @description When the post was first published.
             * @example 2026-11-02T08:00:00.000Z
             */
            published_at: string | null;
            /** @description How many seconds after its scheduled time the post was published; null if no schedule published it. */
            late_by_seconds: number | null;
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
        PostChange: {
            /**
             * @description `deleted`: the site may not show the post any more. `published`: it could not before.
             * @enum {string}
             */
            event: "published" | "updated" | "deleted";
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id: string;
            slug: string;
            version: number;
            /**
             * Format: date-time
             * @description When it last changed.
             * @example 2026-11-02T08:00:00.000Z
             */
            at: string;
            post?: components["schemas"]["PulledPost"];
        };
        PostChanges: {
            changes: components["schemas"]["PostChange"][];
            /** @description Where to go on next time. Keep it after the changes are stored. */
            cursor: string;
            /** @description Whether there is more now. */
            more: boolean;
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
             * @description When the post was deleted or taken off the sites.
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
        /** @description The post's newest delivery to a site. */
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
        /** @description Metadata for search engines and social networks. Fields that are not set are absent. */
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
        /** @description A picture that the service keeps. Its bytes never change: copy it once. */
        PostPicture: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            sha256: string;
            /**
             * Format: uri
             * @description What its addresses in the text begin with; a query for a width or a format may follow there.
             */
            url: string;
            alt: string;
            width: number;
            height: number;
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
            /** @description How many of the posts do not exist, or no longer exist. */
            missing: number;
        };
        /**
         * @description `scheduled`: the post is published automatically at `scheduled_at`. `trash`: it is in no list but the one of this status.
         * @enum {string}
         */
        PostStatus: "draft" | "scheduled" | "published" | "trash";
        PostSummary: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            /** @description Plain text: escape it before it goes into HTML. */
            title: string;
            /** @description Unique within the account. */
            slug: string;
            /** @description Empty if there is none. Plain text: escape it before it goes into HTML. */
            excerpt: string;
            /** @description Plain text: escape it before it goes into HTML. */
            tags: string[];
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            published_at: string;
        };
        PostUpdatedEvent: {
            /** @enum {string} */
            event: "post.updated";
            post: components["schemas"]["PublishedPost"];
            /** @description The version that was sent before this one. */
            previous_version: number;
            site: components["schemas"]["SiteRef"];
        };
        PostWithDeliveries: components["schemas"]["Post"] & {
            deliveries: components["schemas"]["PostDelivery"][];
        };
        /** @description What every error response contains. */
        PreconditionFailed: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "precondition_failed";
        };
        PreviewLink: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            /**
             * Format: uri
             * @description The address of the page. Whoever has it can read the post.
             */
            url: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            expires_at: string;
            /** @description The sites of the post that show it in their own design, and where: those that said so in their last test. */
            sites: {
                /**
                 * Format: uuid
                 * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
                 */
                site_id: string;
                name: string;
                /** Format: uri */
                url: string;
            }[];
        };
        PreviewLinkList: {
            previews: components["schemas"]["PreviewLink"][];
        };
        Proposal: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id: string;
            /** @description The title that would be published. */
            title: string;
            /**
             * @description Of the post. The proposal for one that is published is to publish its working copy.
             * @enum {string}
             */
            status: "draft" | "scheduled" | "published";
            /** @description The name of the token; null if a person proposes it. */
            by: string | null;
            reason: string;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            at: string;
            /** @description Whether the post, or its working copy, was changed since. */
            changed_since: boolean;
        };
        ProposalList: {
            proposals: components["schemas"]["Proposal"][];
        };
        Propose: {
            /** @description Why it should be published, for whoever decides. Shown as plain text. */
            reason: string;
        };
        PublishedPost: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            id: string;
            /** @description Increases with every change. */
            version: number;
            /** @description Earlier slugs that the post has had since it was first sent to a site, oldest first. Redirect them to the current one. */
            previous_slugs?: string[];
            /** @description Plain text: escape it before it goes into HTML. */
            title: string;
            /** @description Unique within the account. */
            slug: string;
            /** @description Empty if there is none. Plain text: escape it before it goes into HTML. */
            excerpt: string;
            /** @description Plain text: escape it before it goes into HTML. */
            tags: string[];
            meta: components["schemas"]["PostMeta"];
            body: components["schemas"]["BodyForms"];
            /** @description The post's pictures that the service keeps: those in its text, and `meta.og_image`. Absent if there are none. */
            media?: components["schemas"]["PostPicture"][];
            /** @enum {string} */
            status: "published";
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            published_at: string;
        };
        PublishPost: {
            /** @description Sites of the account that are not inactive. A published post keeps the ones that it has; any other post is for these sites from now on. Default: all of the post's own `site_ids` that are not inactive. */
            site_ids?: string[];
        };
        PullDifferences: {
            missing: {
                /**
                 * Format: uuid
                 * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
                 */
                id: string;
                slug: string;
                version: number;
            }[];
            /** @description The site has an older version. */
            outdated: {
                /**
                 * Format: uuid
                 * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
                 */
                id: string;
                slug: string;
                version: number;
            }[];
            /** @description The ids of posts that the site should not show. */
            extra: string[];
        };
        PullDigest: {
            /** @description How many posts the site should have. */
            posts: number;
            /** @description SHA-256 in lower-case hex of the lines `id:version`, sorted, joined by line feeds; of the empty text if there are none. */
            digest: string;
        };
        /** @description With `include=body`, unless it is `deleted`. */
        PulledPost: components["schemas"]["PublishedPost"] & {
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            updated_at: string;
        };
        PulledPosts: {
            posts: (components["schemas"]["PostSummary"] | components["schemas"]["PulledPost"])[];
            total: number;
            page: number;
            limit: number;
            pages: number;
        };
        /** @description What every error response contains. */
        RateLimited: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "rate_limited";
            /** @description Seconds to wait, as in `Retry-After`. */
            retry_after: number;
        };
        /**
         * @description `manual`: a failed delivery stays failed until it is retried. `automatic`: once the site accepts a request again, what failed in the last seven days is queued again, oldest first, one a second until ten have arrived. While nothing is sent to the site, an empty `site.test` asks every 15 minutes; build hooks are not asked, the next publication does it.
         * @enum {string}
         */
        Recovery: "manual" | "automatic";
        Register: {
            name: string;
            /**
             * @description Not case-sensitive; stored in the Unicode form NFKC. Without invisible characters.
             * @example ada@example.com
             */
            email: string;
            /**
             * Format: password
             * @description Not one of the most common passwords, nor the account's e-mail address or its name, nor `postrider`.
             */
            password: string;
            /**
             * @description What to return; "token" by default. "cookie" is for the service's own pages: the response is 204 and sets a cookie that scripts cannot read.
             * @enum {string}
             */
            session?: "token" | "cookie";
        };
        ResetPassword: {
            token: string;
            /**
             * Format: password
             * @description Not one of the most common passwords, nor the account's e-mail address or its name, nor `postrider`.
             */
            password: string;
        };
        Retry: {
            /** @description Only deliveries to this site. Default: all sites. */
            site_id?: string;
        };
        RetryDeliveries: {
            /** @description Only these deliveries. Default: all failed ones. */
            ids?: string[];
            /** @description Only deliveries to this site. Default: all sites. */
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
            /** @description Says how many deliveries are queued; it may be none. */
            message: string;
        };
        RetrySite: {
            /**
             * Format: date-time
             * @description Only what was first queued since then; posts that were skipped are left out.
             * @example 2026-11-02T09:30:00+01:00
             */
            since?: string;
        };
        Revision: {
            version: number;
            /**
             * Format: date-time
             * @description When the version was made.
             * @example 2026-11-02T08:00:00.000Z
             */
            at: string;
            /**
             * @description Who made it: a person, a program with a token, a job that generates a draft, the schedule that unpublished the post, or an import.
             * @enum {string}
             */
            by: "person" | "token" | "draft" | "schedule" | "import";
            /** @description The name of the token; null for everybody else. */
            by_name: string | null;
            /** @description Whether sites were sent this version. */
            sent: boolean;
            /** @description The number of words of its text. */
            words: number;
            /** @description Plain text: escape it before it goes into HTML. */
            title: string;
            /** @description Unique within the account. */
            slug: string;
            /** @description Empty if there is none. Plain text: escape it before it goes into HTML. */
            excerpt: string;
            /** @description Plain text: escape it before it goes into HTML. */
            tags: string[];
            meta: components["schemas"]["PostMeta"];
            body: components["schemas"]["BodyForms"];
        };
        RevisionDiff: {
            from: number;
            to: number;
            fields: components["schemas"]["FieldChange"][];
            /** @description All blocks of both texts, in order. */
            blocks: components["schemas"]["BlockChange"][];
        };
        RevisionPage: {
            revisions: components["schemas"]["RevisionSummary"][];
            /** @description For the next page; null on the last. */
            cursor: string | null;
        };
        RevisionSummary: {
            version: number;
            /**
             * Format: date-time
             * @description When the version was made.
             * @example 2026-11-02T08:00:00.000Z
             */
            at: string;
            /**
             * @description Who made it: a person, a program with a token, a job that generates a draft, the schedule that unpublished the post, or an import.
             * @enum {string}
             */
            by: "person" | "token" | "draft" | "schedule" | "import";
            /** @description The name of the token; null for everybody else. */
            by_name: string | null;
            /** @description Whether sites were sent this version. */
            sent: boolean;
            /** @description The number of words of its text. */
            words: number;
            title: string;
        };
        /** @description A node of a rich-text document in the format of Tiptap 3 and ProseMirror. The document itself is a node of type `doc`. */
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
        RunImport: {
            /** @description Whether pictures that posts show from other hosts are taken over into the library, as `POST /api/media/from-url` does, and shown from there. One that cannot be taken is a loss of its post, which goes on to show it from where it is. */
            pictures?: boolean;
        };
        SaveWorkingCopy: {
            title?: string;
            /**
             * @description Null derives it from the title, as for a new post. It becomes lower-case letters, digits and single hyphens, at most 120 characters; a taken slug is refused with 409.
             * @example bread-without-kneading
             */
            slug?: string | null;
            excerpt?: string;
            /** @description Duplicates are removed. */
            tags?: string[];
            meta?: {
                title?: string | null;
                description?: string | null;
                og_image?: "" | string | null;
                canonical_url?: "" | string | null;
            };
            /** @description Any of the three forms; the others are derived. If several are given, the richest one is the source (json before html before markdown), and the others are kept as given. */
            body?: {
                /** @description HTML; it is sanitised. At most 1 MiB. */
                html?: string;
                /** @description CommonMark with GitHub's extensions. At most 1 MiB. */
                markdown?: string;
                json?: components["schemas"]["RichText"];
            };
            /**
             * @description The version of the post that the changes began from. Default: that of the working copy, or the present one. Give the present one after comparing them, if the post has changed since.
             * @example 1
             */
            based_on?: number;
        };
        /**
         * @description - `posts:read`: Read posts, their history and their deliveries; follow events; export.
         *     - `posts:write`: Write drafts and changes that are not published.
         *     - `posts:publish`: Publish, schedule, change or withdraw what is published, delete, import.
         *     - `sites:read`: List the sites.
         *     - `sites:write`: Connect, change, test and disconnect sites.
         *     - `secrets:read`: Read sites' API keys and webhook secrets.
         *     - `media:write`: Upload, change and delete pictures.
         *     - `analytics:read`: Read figures, failures and incidents.
         *     - `deliveries:retry`: Send again what has failed or is missing.
         *     - `generate`: Have drafts written.
         * @enum {string}
         */
        Scope: "posts:read" | "posts:write" | "posts:publish" | "sites:read" | "sites:write" | "secrets:read" | "media:write" | "analytics:read" | "deliveries:retry" | "generate";
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
            kind: components["schemas"]["SiteKind"];
            /**
             * Format: uri
             * @description Where webhooks are sent. The address of a build hook is a secret: it is whole where the other secrets are, elsewhere only its host (`https://host/***`), which also means "unchanged" in a change.
             */
            webhook_url: string;
            /** @description The least time between two requests to a build hook; null for webhooks, which are sent one by one. */
            debounce_seconds: number | null;
            /**
             * @description The pattern of a post's address on the site; null if it is not known.
             * @example https://blog.example.com/posts/{slug}
             */
            post_url: string | null;
            canonical: components["schemas"]["SiteCanonical"];
            recovery: components["schemas"]["Recovery"];
            /** @description Whether the page of a post that the site accepted is looked at: after 5 seconds, 1, 5 and 30 minutes, 6 hours and then daily for a week, until it shows the post. Only pages on the host of `url` or `post_url` are. What came of it is `live` of the delivery, whose status it never changes. */
            verify: boolean;
            /** @description What the site is about; empty if it was not set. */
            niche: string;
            platform: components["schemas"]["Platform"];
            /**
             * @description What the site is made with, where the platform says too little: a name of its owner’s choice. The dashboard keeps here what was chosen when the site was connected; null if nothing was.
             * @example hono
             */
            framework: string | null;
            status: components["schemas"]["SiteStatus"];
            delivery_stats: {
                /** @description The number of finished deliveries. */
                total: number;
                /** @description Percentage of finished deliveries that succeeded, with one decimal; null if none has finished. */
                success_rate: number | null;
                /**
                 * Format: date-time
                 * @example 2026-11-02T08:00:00.000Z
                 */
                last_delivery: string | null;
                /** @description The number of posts that the site accepted and does not show; 0 without `verify`. */
                not_live: number;
                /** @description The number of posts that the site should have and does not: their newest delivery has failed, or they were published while the site was paused. */
                missing: number;
            };
            /** @description The last test delivery; null if there was none since the webhook address was set. */
            last_test: {
                /**
                 * Format: date-time
                 * @example 2026-11-02T08:00:00.000Z
                 */
                at: string;
                ok: boolean;
                /** @description Where the site said that it keeps posts. */
                store: string | null;
                /** @description Whether the site said that it shows previews: at the address of a post with the slug `preview-TOKEN`. */
                previews: boolean;
                /** @description What came of it, in a sentence. */
                message: string;
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            created_at: string;
        };
        /**
         * @description Whose address the site is sent as `meta.canonical_url` of posts that have an original (`primary_site_id`). `primary`: that of the original. `own`: its own.
         * @enum {string}
         */
        SiteCanonical: "primary" | "own";
        /**
         * @description `webhook`: a signed request for each change of a post. `build_hook`: the address at which the host of a static site starts a build gets one POST for all changes since the last one, and any 2xx is success.
         * @enum {string}
         */
        SiteKind: "webhook" | "build_hook";
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
        SiteRetried: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            site_id: string;
            /** @description How many failed deliveries are queued again, of each post the newest. */
            queued: number;
            /** @description How many posts are sent that were published while the site was paused. */
            skipped: number;
        };
        /**
         * @description `inactive`: paused by the user; nothing is sent. `error`: set by the service when deliveries fail, and cleared by the next success.
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
            /** @description Percentage of finished deliveries that succeeded, with one decimal; null if none has finished. */
            success_rate: number | null;
        };
        SiteWithSecrets: components["schemas"]["Site"] & {
            /** @description The key for the Pull API, sent in the header `X-API-Key`. */
            api_key: string;
            /** @description The secret that signs webhooks to the site. */
            webhook_secret: string;
        };
        /** @description The state of a post at a site: its newest delivery there. */
        StandingDelivery: components["schemas"]["PostDelivery"] & {
            live: components["schemas"]["LiveAddress"];
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
            /** @description The HTTP status that the site returned; null if it did not answer. */
            response_code: number | null;
            response_time_ms: number;
            payload_sent?: components["schemas"]["PublishedPost"] & unknown;
            /** @description On success: the result in a sentence. */
            message?: string;
            /** @description On failure: an error code such as `timeout`. */
            error?: string;
            /** @description On failure: what the site says is wrong, or else what to check. */
            troubleshooting?: string;
            /**
             * @description On success: what the site says it keeps posts in, such as `files`; `pull` if it reads them from this service. Absent if its answer does not say so.
             * @example files
             */
            store?: string;
            /** @description The beginning of the site's response body, if it is text: at most 500 characters. */
            response?: string;
        };
        TimelineUnit: {
            /**
             * @description The start of the interval: a date, or a time if the granularity is `hour`.
             * @example 2026-11-01
             */
            date: string;
            delivered: number;
            failed: number;
            retried: number;
            /** @description Mean response time of successful attempts; null if there are none. */
            avg_ms: number | null;
        };
        /** @description What every error response contains. */
        Unauthorized: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "unauthorized";
        };
        /** @description What every error response contains. */
        Unavailable: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "unavailable";
        };
        /** @description What every error response contains. */
        UnsupportedMediaType: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "unsupported_media_type";
        };
        UpdateAccount: {
            /** @description The site that has the original of posts which are created from now on without a `primary_site_id`; null: none. */
            primary_site_id?: string | null;
        };
        UpdateMedium: {
            name?: string;
            alt?: string;
        };
        UpdateNotificationChannel: {
            /**
             * @description An e-mail address, or the address of a webhook.
             * @example ada@example.com
             */
            target?: string;
            /** @description What to tell; everything but `draft.ready` if it is not given. */
            events?: components["schemas"]["NotificationEvent"][];
            /** @description Read-only: accepted and ignored. */
            readonly id?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly status?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly last_error?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly secret?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly created_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly kind?: unknown;
        };
        UpdatePost: {
            title?: string;
            /**
             * @description Null derives it from the title, as for a new post. It becomes lower-case letters, digits and single hyphens, at most 120 characters; a taken slug is refused with 409.
             * @example bread-without-kneading
             */
            slug?: string | null;
            excerpt?: string;
            /** @description Duplicates are removed. */
            tags?: string[];
            meta?: {
                title?: string | null;
                description?: string | null;
                og_image?: "" | string | null;
                canonical_url?: "" | string | null;
            };
            /** @description A site of the account; null: none. A new post has the account's `primary_site_id` unless it is given one. On a published post, the sites whose `meta.canonical_url` changes by it are sent `post.updated`; the version stays. */
            primary_site_id?: string | null;
            /** @description Any of the three forms; the others are derived. If several are given, the richest one is the source (json before html before markdown), and the others are kept as given. */
            body?: {
                /** @description HTML; it is sanitised. At most 1 MiB. */
                html?: string;
                /** @description CommonMark with GitHub's extensions. At most 1 MiB. */
                markdown?: string;
                json?: components["schemas"]["RichText"];
            };
            status?: components["schemas"]["PostStatus"];
            /** @description The sites that the post is for: whenever it is published without naming sites, by its status, by its schedule or by a publish request. Null, the default: every site, also those connected later. An empty list: no site. On a published post, sites that come in are sent `post.published` and sites that go out `post.deleted`; the version stays. */
            site_ids?: string[] | null;
            /**
             * Format: date-time
             * @description A time in the future. Required with the status `scheduled`, and allowed only with it.
             * @example 2026-11-02T09:30:00+01:00
             */
            scheduled_at?: string | null;
            /**
             * Format: date-time
             * @description A time in the future, after `scheduled_at`, at which the post becomes a draft, as if its status were set to `draft` then. Unpublishing it earlier removes it.
             * @example 2026-12-24T18:00:00+01:00
             */
            unpublish_at?: string | null;
            /**
             * @description The time zone by which the schedule was planned, an IANA name, for showing it again; `scheduled_at` alone says when. Allowed only with the status `scheduled`.
             * @example Asia/Tokyo
             */
            schedule_zone?: string | null;
            /** @description Read-only: accepted and ignored. */
            readonly id?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly version?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly published_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly late_by_seconds?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly created_at?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly has_changes?: unknown;
            /** @description Read-only: accepted and ignored. */
            readonly trashed_at?: unknown;
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
             * @description Must be a public https address, unless the operator allows others.
             * @example https://blog.example.com/webhooks/postrider
             */
            webhook_url?: string;
            platform?: components["schemas"]["Platform"] & unknown;
            kind?: components["schemas"]["SiteKind"] & unknown;
            /** @description Of a build hook: at most one request in so many seconds. Null: 60. */
            debounce_seconds?: number | null;
            /**
             * @description The pattern of a post's address on the site, with `{slug}` or `{id}`, also `{yyyy}` and `{mm}`.
             * @example https://blog.example.com/posts/{slug}
             */
            post_url?: string | null;
            canonical?: components["schemas"]["SiteCanonical"] & unknown;
            recovery?: components["schemas"]["Recovery"] & unknown;
            /** @description Whether the page of a post that the site accepted is looked at: after 5 seconds, 1, 5 and 30 minutes, 6 hours and then daily for a week, until it shows the post. Only pages on the host of `url` or `post_url` are. What came of it is `live` of the delivery, whose status it never changes. `false` if it is not given. */
            verify?: boolean;
            /** @description What the site is made with, where the platform says too little: a name of its owner’s choice. The dashboard keeps here what was chosen when the site was connected; null if nothing was. */
            framework?: string | null;
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
            readonly last_test?: unknown;
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
            email: string;
        };
        /** @description What every error response contains. */
        ValidationError: components["schemas"]["Error"] & {
            /** @enum {string} */
            error?: "validation_error";
            /**
             * @description The dotted path of the input that caused the error.
             * @example meta.title
             */
            field: string;
        };
        VerifyNotificationAddress: {
            token: string;
        };
        /** @description The whole content of a post with changes that are not published. */
        WorkingCopy: {
            /**
             * Format: uuid
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            post_id: string;
            /**
             * Format: uuid
             * @description Another one with each save: in quotes, it is the ETag.
             * @example 01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071
             */
            save_id: string;
            /** @description The version of the post that the changes began from. */
            based_on: number;
            /**
             * Format: date-time
             * @example 2026-11-02T08:00:00.000Z
             */
            saved_at: string;
            /** @description Plain text: escape it before it goes into HTML. */
            title: string;
            /** @description Unique within the account. */
            slug: string;
            /** @description Empty if there is none. Plain text: escape it before it goes into HTML. */
            excerpt: string;
            /** @description Plain text: escape it before it goes into HTML. */
            tags: string[];
            meta: components["schemas"]["PostMeta"];
            body: components["schemas"]["BodyForms"];
            /** @description What the conversion of the given body could not keep; absent if that is nothing. */
            warnings?: components["schemas"]["ConversionWarning"][];
        };
        WrittenPost: components["schemas"]["PostWithDeliveries"] & {
            /** @description What the conversion of the given body could not keep; absent if that is nothing. */
            warnings?: components["schemas"]["ConversionWarning"][];
        };
    };
    responses: {
        /** @description `conflict`: The request conflicts with the current state: a unique value is taken, or the idempotency key was used for another request or for one that is still running (then with `Retry-After`). Nothing was done. */
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
        /** @description `forbidden`: The request is not allowed; `message` says why, and `required_scope` which right a token lacks. */
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
        /** @description `rate_limited`: A limit is reached; `message` says which: of requests in a window, of drafts or their tokens, or of open event streams. Nothing was done. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                /**
                 * @description Requests allowed per window. A response to a request that counts against a limit has all three headers.
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
        /** @description `validation_error`: The input is not valid; `field` names the first invalid field. Nothing was done. */
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
        /** @description `payload_too_large`: The body is larger than 2 MiB, or than the 16 KiB that a few endpoints accept. Nothing was done. */
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
        /** @description `unsupported_media_type`: The body is not declared as JSON, or is compressed. Nothing was done. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                /**
                 * @description Present if the body was compressed: only uncompressed bodies are accepted.
                 * @example identity
                 */
                "Accept-Encoding"?: "identity";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedMediaType"];
            };
        };
        /** @description `method_not_allowed`: This address does not support the method. */
        MethodNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                /**
                 * @description The methods that this address supports.
                 * @example GET, HEAD, PATCH, DELETE
                 */
                Allow: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MethodNotAllowed"];
            };
        };
        /** @description `unavailable`: The service is temporarily unavailable. Try again after the seconds in `Retry-After`; repeat a POST with the same idempotency key. Without that header, what was asked for is not set up at this service. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
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
                 * @description The required credentials: `Bearer` for an access token, `ApiKey` for a site's key in `X-API-Key`.
                 * @example Bearer
                 */
                "WWW-Authenticate": "Bearer" | "ApiKey";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unauthorized"];
            };
        };
        /** @description `not_found`: The resource does not exist or belongs to another account; the response does not say which. */
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
        /** @description `precondition_failed`: The resource is not at the version given in `If-Match`. Nothing was done. */
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
        /** @description `gone`: What was asked for existed once, and does not any more; `message` says what to do. */
        Gone: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Gone"];
            };
        };
        /** @description `internal_error`: An unexpected error. The service's log has the cause under the `request_id`. */
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
        /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
        "Idempotency-Key": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Identifies the request in the service's log. Quote it when you report a problem.
         * @example 01a19b45-b8a1-7d30-8c51-0a3e5b7f9d21
         */
        "X-Request-Id": string;
        /**
         * @description `no-store` for responses with secrets; others may be cached, but must be revalidated before use.
         * @example private, no-cache
         */
        "Cache-Control": string;
        /**
         * @description Requests allowed per window. A response to a request that counts against a limit has all three headers.
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
         * @description Present if this is the stored response to an earlier request with the same idempotency key.
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
            /** @description The new account and a token for it. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response contains secrets: do not store it.
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
            /** @description The session cookie is set, as requested by `"session": "cookie"`. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response contains secrets: do not store it.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description The session cookie: HttpOnly, SameSite=Strict, valid for 7 days.
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
            /** @description The account and a new token. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response contains secrets: do not store it.
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
            /** @description The session cookie is set, as requested by `"session": "cookie"`. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response contains secrets: do not store it.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description The session cookie: HttpOnly, SameSite=Strict, valid for 7 days.
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
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The login has ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response contains secrets: do not store it.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    /**
                     * @description Removes the session cookie.
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
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All logins have ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response contains secrets: do not store it.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    /**
                     * @description Removes the session cookie.
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
    forgotPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForgotPassword"];
            };
        };
        responses: {
            /** @description If there is such an account, it is sent a link. */
            202: {
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
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetPassword"];
            };
        };
        responses: {
            /** @description The password is changed: log in with it. */
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
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
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
            /** @description The password is changed. The account and a new token. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response contains secrets: do not store it.
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
            /** @description The password is changed, and a new session cookie is set. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response contains secrets: do not store it.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description The session cookie: HttpOnly, SameSite=Strict, valid for 7 days.
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
                     * @description `no-store` if the session was renewed.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description The new session cookie, if the session was renewed.
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
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAccount"];
            };
        };
        responses: {
            /** @description The changed account. */
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
                    "application/json": components["schemas"]["Account"];
                };
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
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens. */
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
                    "application/json": components["schemas"]["ApiTokenList"];
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
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiToken"];
            };
        };
        responses: {
            /** @description The token. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response contains secrets: do not store it.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiToken"];
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
    revokeToken: {
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
            /** @description The token is revoked. */
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
    listPosts: {
        parameters: {
            query?: {
                /** @description The page number. A page past the last one is empty. */
                page?: number;
                /** @description The number of items per page. */
                limit?: number;
                /** @description Only posts with this status. Default: all that are not in the trash. */
                status?: components["schemas"]["PostStatus"] & unknown;
                /** @description Only published posts that are visible to this site. */
                site_id?: string;
                /** @description Only posts with this tag. */
                tag?: string;
                /** @description Words in title and text; "quoted" words are a phrase; case and accents do not matter. Finds at most 500 posts, the newest ones. */
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
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
                     * @description The version in quotes, for use in `If-Match`.
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
                    "application/json": components["schemas"]["WrittenPost"];
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
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description HTML; it is sanitised. At most 1 MiB. */
                    html?: string;
                    /** @description CommonMark with GitHub's extensions. At most 1 MiB. */
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
                /** @description The page number. A page past the last one is empty. */
                page?: number;
                /** @description The number of items per page. */
                limit?: number;
                /** @description Only posts with this status. Default: all that are not in the trash. */
                status?: components["schemas"]["PostStatus"] & unknown;
                /** @description Only published posts that are visible to this site. */
                site_id?: string;
                /** @description Only posts with this tag. */
                tag?: string;
                /** @description Words in title and text; "quoted" words are a phrase; case and accents do not matter. Finds at most 500 posts, the newest ones. */
                search?: string;
                /** @description `updated_at`: the last changed first; `scheduled_at`: the next to be published first. Ignored with `search`: the best match comes first. */
                sort?: "newest" | "updated_at" | "scheduled_at";
                /** @description Only posts that are published or scheduled, since or for then: an ISO 8601 date, or a time with an offset. */
                from?: string;
                /** @description Only posts that are published or scheduled, until then: an ISO 8601 date (to its end), or a time with an offset. */
                to?: string;
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
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
            /** @description The changed posts, and how many were missing. */
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
                     * @description The version in quotes, for use in `If-Match`.
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
                /** @description The ETag of the version you have; if the post is at another version, the response is 412. */
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
            /** @description The post is deleted. */
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
                /** @description The ETag of the version you have; if the post is at another version, the response is 412. */
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
                     * @description The version in quotes, for use in `If-Match`.
                     * @example "3"
                     */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenPost"];
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
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
    getPostCanonical: {
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
            /** @description The addresses, by site. */
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
                    "application/json": components["schemas"]["CanonicalAddresses"];
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
    listRevisions: {
        parameters: {
            query?: {
                /** @description The `cursor` of an earlier answer. */
                cursor?: string;
                /** @description The number of versions per page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions, without their texts. */
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
                    "application/json": components["schemas"]["RevisionPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    diffRevisions: {
        parameters: {
            query?: {
                /** @description The older version. Default: the one before the newer. */
                from?: number;
                /** @description The newer version. Default: the present one. */
                to?: number;
            };
            header?: never;
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What differs. */
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
                    "application/json": components["schemas"]["RevisionDiff"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRevision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The post. */
                id: string;
                /** @description The version. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version. */
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
                    "application/json": components["schemas"]["Revision"];
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
    restoreRevision: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The ETag of the version you have; if the post is at another version, the response is 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description The post. */
                id: string;
                /** @description The version. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post at its new version. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    /**
                     * @description The version in quotes, for use in `If-Match`.
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
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    duplicatePost: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
            /** @description The new draft. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    /**
                     * @description The version in quotes, for use in `If-Match`.
                     * @example "3"
                     */
                    ETag: string;
                    /**
                     * @description The path of the draft.
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
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWorkingCopy: {
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
            /** @description The working copy. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Stands for what was saved, for use in `If-Match`.
                     * @example "01a19b52-6c40-7a3e-8f15-2d9b7e60c4a1"
                     */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkingCopy"];
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
    saveWorkingCopy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the working copy that you have or, if there is none, of the post; if others have saved or published changes since, the response is 412. */
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
                "application/json": components["schemas"]["SaveWorkingCopy"];
            };
        };
        responses: {
            /** @description The working copy. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Stands for what was saved, for use in `If-Match`.
                     * @example "01a19b52-6c40-7a3e-8f15-2d9b7e60c4a1"
                     */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkingCopy"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    discardWorkingCopy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the working copy that you have or, if there is none, of the post; if others have saved or published changes since, the response is 412. */
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
            /** @description The changes are discarded. */
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
    publishWorkingCopy: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The ETag of the working copy that you have or, if there is none, of the post; if others have saved or published changes since, the response is 412. */
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
            /** @description The post with the changes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    /**
                     * @description The version in quotes, for use in `If-Match`.
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
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    trashPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The ETag of the version you have; if the post is at another version, the response is 412. */
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
            /** @description The post in the trash. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    /**
                     * @description The version in quotes, for use in `If-Match`.
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
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    untrashPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
            /** @description The draft. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    /**
                     * @description The version in quotes, for use in `If-Match`.
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
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPreviews: {
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
            /** @description The links. */
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
                    "application/json": components["schemas"]["PreviewLinkList"];
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
    createPreview: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
                "application/json": components["schemas"]["CreatePreview"];
            };
        };
        responses: {
            /** @description The link. */
            201: {
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
                    "application/json": components["schemas"]["PreviewLink"];
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
    revokePreview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The resource's id. */
                id: string;
                /** @description The preview link. */
                preview_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link shows nothing any more. */
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
    listProposals: {
        parameters: {
            query?: {
                /** @description Only the one about this post. */
                post_id?: string;
                /** @description The most proposals. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The proposals. */
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
                    "application/json": components["schemas"]["ProposalList"];
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
    proposePost: {
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
                "application/json": components["schemas"]["Propose"];
            };
        };
        responses: {
            /** @description The proposal. */
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
                    "application/json": components["schemas"]["Proposal"];
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
    dismissProposal: {
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
            /** @description The proposal is gone. */
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
    listMedia: {
        parameters: {
            query?: {
                /** @description Words of the name or the alternative text. */
                search?: string;
                /** @description The `cursor` of an earlier answer. */
                cursor?: string;
                /** @description The number of pictures per page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of pictures. */
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
                    "application/json": components["schemas"]["MediaPage"];
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
    uploadMedium: {
        parameters: {
            query?: {
                /** @description The name of the file; in a form it has one. */
                name?: string;
                /** @description What the picture shows. */
                alt?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
                "image/jpeg": string;
                "image/png": string;
                "image/gif": string;
                "image/webp": string;
                "image/avif": string;
                "image/svg+xml": string;
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The picture. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Medium"];
                };
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
    addMediumFromUrl: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddMediumFromUrl"];
            };
        };
        responses: {
            /** @description The picture. */
            201: {
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
                    "application/json": components["schemas"]["Medium"];
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
    getMedium: {
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
            /** @description The picture. */
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
                    "application/json": components["schemas"]["Medium"];
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
    deleteMedium: {
        parameters: {
            query?: {
                /** @description Whether posts may lose the picture. */
                force?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
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
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateMedium: {
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
                "application/json": components["schemas"]["UpdateMedium"];
            };
        };
        responses: {
            /** @description The picture. */
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
                    "application/json": components["schemas"]["Medium"];
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
    generateDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
            /** @description The new job. */
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
                     * @description The job changes while it runs: do not store the response.
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
            /** @description The job is deleted. */
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
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
                     * @description The response contains secrets: do not store it.
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
                     * @description The response contains secrets: do not store it.
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
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
                     * @description The response contains secrets: do not store it.
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
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
            /** @description The result of the test. */
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
    backfillSite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Backfill"];
            };
        };
        responses: {
            /** @description How many posts are sent, or would be. */
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
                    "application/json": components["schemas"]["BackfillResult"];
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
    retrySite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
                "application/json": components["schemas"]["RetrySite"];
            };
        };
        responses: {
            /** @description How much is sent. */
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
                    "application/json": components["schemas"]["SiteRetried"];
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
    checkPages: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
                "application/json": components["schemas"]["CheckPages"];
            };
        };
        responses: {
            /** @description Of how many posts the pages are looked at. */
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
                    "application/json": components["schemas"]["PagesChecked"];
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
    detectPlatform: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
                /** @description The number of items per page. */
                limit?: number;
                /** @description Only deliveries with this status. */
                status?: "pending" | "delivered" | "delivered_retry" | "failed";
                /** @description Only deliveries to this site, which may be a deleted one. */
                site_id?: string;
                /** @description Only deliveries of this post, which may be a deleted one. */
                post_id?: string;
                /** @description Only deliveries created since then: an ISO 8601 date, or a time with an offset. */
                from?: string;
                /** @description Only deliveries created until then: an ISO 8601 date (to its end), or a time with an offset. */
                to?: string;
                /** @description Only failed deliveries that can be retried. */
                can_retry?: "true";
                /** @description Only deliveries that sites with `verify` accepted and whose post they do not show. */
                not_live?: "true";
                /** @description The `next_cursor` of the previous page. */
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
                     * @description The response contains secrets: do not store it.
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
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
            /** @description The number of deliveries that are queued again. */
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
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
            /** @description The delivery is queued. */
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
                /** @description ISO 8601 date, or a time with an offset. Default: 30 days ago. */
                from?: string;
                /** @description ISO 8601 date (to its end), or a time with an offset. Default: now. */
                to?: string;
                /** @description Only this site. Default: all sites of the account. */
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
                /** @description ISO 8601 date, or a time with an offset. Default: 30 days ago. */
                from?: string;
                /** @description ISO 8601 date (to its end), or a time with an offset. Default: now. */
                to?: string;
                /** @description Only this site. Default: all sites of the account. */
                site_id?: string;
                /** @description The length of an interval. */
                granularity?: "hour" | "day" | "week" | "month";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One entry per interval. */
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
                /** @description ISO 8601 date, or a time with an offset. Default: 30 days ago. */
                from?: string;
                /** @description Only this site. Default: all sites of the account. */
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
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
            /** @description How many deliveries are queued. */
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
    pullChanges: {
        parameters: {
            query?: {
                /** @description The `cursor` of an earlier answer. */
                cursor?: string;
                /** @description The number of items per page. */
                limit?: number;
                /** @description `body`: the posts have the same fields as when they are got one by one. */
                include?: "body";
            };
            header?: {
                /** @description The ETag you have; if the content is unchanged, the response is 304 without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes, oldest first. With `include=body` there may be fewer than asked for, if they are long. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response may be cached, but must be revalidated before use.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Changes with the content; for use in `If-None-Match`.
                     * @example "kL3uQz0VbYc4xWm2Tq8hRfN1aeo"
                     */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostChanges"];
                };
            };
            /** @description Unchanged since the given ETag. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response may be cached, but must be revalidated before use.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Changes with the content; for use in `If-None-Match`.
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
            410: components["responses"]["Gone"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    confirmDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Confirmations"];
            };
        };
        responses: {
            /** @description What became of each report, in their order. */
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
                    "application/json": components["schemas"]["ConfirmationResults"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    pullDigest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of posts, and their digest. */
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
                    "application/json": components["schemas"]["PullDigest"];
                };
            };
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    comparePosts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HeldPosts"];
            };
        };
        responses: {
            /** @description The differences. */
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
                    "application/json": components["schemas"]["PullDifferences"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
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
                /** @description The page number. A page past the last one is empty. */
                page?: number;
                /** @description The number of items per page. */
                limit?: number;
                /** @description Only posts with this tag. */
                tag?: string;
                /** @description `body`: the posts have the same fields as when they are got one by one. */
                include?: "body";
            };
            header?: {
                /** @description The ETag you have; if the content is unchanged, the response is 304 without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of posts, without their bodies unless they are asked for. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response may be cached, but must be revalidated before use.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Changes with the content; for use in `If-None-Match`.
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
                     * @description The response may be cached, but must be revalidated before use.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Changes with the content; for use in `If-None-Match`.
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
                /** @description The ETag you have; if the content is unchanged, the response is 304 without a body. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The post's current slug. */
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
                     * @description The response may be cached, but must be revalidated before use.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Changes with the content; for use in `If-None-Match`.
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
                     * @description The response may be cached, but must be revalidated before use.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Changes with the content; for use in `If-None-Match`.
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
    pullPreview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The end of the preview link. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post. */
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
                    "application/json": components["schemas"]["PulledPost"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            410: components["responses"]["Gone"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    lookUpPost: {
        parameters: {
            query: {
                /** @description The slug in the address. */
                slug: string;
            };
            header?: {
                /** @description The ETag you have; if the content is unchanged, the response is 304 without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post, or nothing. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response may be cached, but must be revalidated before use.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Changes with the content; for use in `If-None-Match`.
                     * @example "kL3uQz0VbYc4xWm2Tq8hRfN1aeo"
                     */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundPost"];
                };
            };
            /** @description Unchanged since the given ETag. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response may be cached, but must be revalidated before use.
                     * @example private, no-cache
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Changes with the content; for use in `If-None-Match`.
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
            /** @description The report is stored. */
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
    listImports: {
        parameters: {
            query?: {
                /** @description The page number. A page past the last one is empty. */
                page?: number;
                /** @description The number of items per page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of imports. */
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
                    "application/json": components["schemas"]["ImportPage"];
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
    createImport: {
        parameters: {
            query?: {
                /** @description The name of the file, if it is not sent as a form. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
                "application/zip": string;
                "application/x-zip-compressed": string;
                "application/json": string;
                "application/xml": string;
                "text/xml": string;
                "application/rss+xml": string;
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The new import. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description The path of the import.
                     * @example /api/imports/01a19b45-c1d2-7a04-b1c9-4e5d8b6f2099
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportWithReport"];
                };
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
    getImport: {
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
            /** @description The import. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The import changes while it is worked on: do not store the response.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportWithReport"];
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
    deleteImport: {
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
            /** @description The import, which is being undone. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportWithReport"];
                };
            };
            /** @description The import is forgotten. */
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
    listImportedPosts: {
        parameters: {
            query?: {
                /** @description The page number. A page past the last one is empty. */
                page?: number;
                /** @description The number of items per page. */
                limit?: number;
                outcome?: "new" | "same" | "changed" | "refused";
                /** @description `true`: only posts that lose something. */
                lossy?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description The resource's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them. */
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
                    "application/json": components["schemas"]["ImportedPostPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    runImport: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
                "application/json": components["schemas"]["RunImport"];
            };
        };
        responses: {
            /** @description The import, which is under way. */
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
                    "application/json": components["schemas"]["ImportWithReport"];
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
    exportPosts: {
        parameters: {
            query?: {
                /** @description `json` is complete: importing it makes the same posts again. `markdown`: a file with front matter per post, which static site generators understand. `ghost`: one JSON file that Ghost imports. */
                format?: "markdown" | "ghost" | "json";
                /** @description `true`: the pictures of the account that posts show are in the archive, in the folder `media`. In the format `markdown` the texts have their addresses relative to the files. */
                media?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description A name for the file.
                     * @example attachment; filename="postrider-json-2026-11-02.zip"
                     */
                    "Content-Disposition": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
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
    listNotificationChannels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channels. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response contains secrets: do not store it.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationChannelList"];
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
    createNotificationChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateNotificationChannel"];
            };
        };
        responses: {
            /** @description The new channel. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response contains secrets: do not store it.
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
                    "application/json": components["schemas"]["NotificationChannel"];
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
    deleteNotificationChannel: {
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
            /** @description The channel is removed. */
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
    updateNotificationChannel: {
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
                "application/json": components["schemas"]["UpdateNotificationChannel"];
            };
        };
        responses: {
            /** @description The changed channel. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The response contains secrets: do not store it.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationChannel"];
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
    testNotificationChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409. */
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
            /** @description What came of the test message. */
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
                    "application/json": components["schemas"]["NotificationTest"];
                };
            };
            /** @description The address is sent the link again. */
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
                content?: never;
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
    verifyNotificationAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyNotificationAddress"];
            };
        };
        responses: {
            /** @description The address gets messages from now on. */
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
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listIncidents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The incidents, open ones first. */
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
                    "application/json": components["schemas"]["IncidentList"];
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
    streamEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, until the client or the service closes the connection. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description The stream must not be stored.
                     * @example no-store
                     */
                    "Cache-Control": string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /**
                     * @description Tells nginx to pass on events without buffering.
                     * @example no
                     */
                    "X-Accel-Buffering": string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LiveEvent"];
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
    onPostPublished: {
        parameters: {
            query?: never;
            header: {
                /** @description The event type, as in the body. */
                "X-Service-Event": string;
                /** @description The id of the delivery, the same in every attempt. A receiver that has seen it already has the event. */
                "X-Service-Delivery": string;
                /** @description When this attempt was made, in Unix seconds. Not covered by X-Service-Signature. */
                "X-Service-Timestamp": string;
                /** @description `sha256=` and the HMAC-SHA256 of the raw body in hexadecimal. The key is the whole `webhook_secret`, including its prefix. */
                "X-Service-Signature": string;
                /** @description The version of the webhook format, a date. */
                "X-Service-Version": string;
                /** @description Standard Webhooks: the id of the delivery. */
                "webhook-id": string;
                /** @description Standard Webhooks: when this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks: `v1,` and the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` in base64. The key is the part of the `webhook_secret` after its prefix, decoded from base64. */
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
                 *         "title": "Bread without kneading",
                 *         "slug": "bread-without-kneading",
                 *         "excerpt": "Four ingredients, ten minutes of work, and a night of patience.",
                 *         "tags": [
                 *           "baking",
                 *           "basics"
                 *         ],
                 *         "meta": {
                 *           "title": "Bread without kneading: the overnight method",
                 *           "description": "How to bake a crusty loaf from four ingredients with ten minutes of work.",
                 *           "og_image": "https://kitchen.example.com/images/loaf.jpg",
                 *           "canonical_url": "https://kitchen.example.com/bread-without-kneading"
                 *         },
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
            /** @description Received. Answer 200 once the event is stored; do slow work afterwards. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer is a failure, and so is a redirect or no answer within 15 seconds. Failed attempts are repeated 30 seconds, 5 minutes and 30 minutes after the previous one. An operator may have set other times. */
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
                /** @description The event type, as in the body. */
                "X-Service-Event": string;
                /** @description The id of the delivery, the same in every attempt. A receiver that has seen it already has the event. */
                "X-Service-Delivery": string;
                /** @description When this attempt was made, in Unix seconds. Not covered by X-Service-Signature. */
                "X-Service-Timestamp": string;
                /** @description `sha256=` and the HMAC-SHA256 of the raw body in hexadecimal. The key is the whole `webhook_secret`, including its prefix. */
                "X-Service-Signature": string;
                /** @description The version of the webhook format, a date. */
                "X-Service-Version": string;
                /** @description Standard Webhooks: the id of the delivery. */
                "webhook-id": string;
                /** @description Standard Webhooks: when this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks: `v1,` and the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` in base64. The key is the part of the `webhook_secret` after its prefix, decoded from base64. */
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
                 *         "title": "Bread without kneading",
                 *         "slug": "bread-without-kneading",
                 *         "excerpt": "Four ingredients, ten minutes of work, and a night of patience.",
                 *         "tags": [
                 *           "baking",
                 *           "basics"
                 *         ],
                 *         "meta": {
                 *           "title": "Bread without kneading: the overnight method",
                 *           "description": "How to bake a crusty loaf from four ingredients with ten minutes of work.",
                 *           "og_image": "https://kitchen.example.com/images/loaf.jpg",
                 *           "canonical_url": "https://kitchen.example.com/bread-without-kneading"
                 *         },
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
            /** @description Received. Answer 200 once the event is stored; do slow work afterwards. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer is a failure, and so is a redirect or no answer within 15 seconds. Failed attempts are repeated 30 seconds, 5 minutes and 30 minutes after the previous one. An operator may have set other times. */
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
                /** @description The event type, as in the body. */
                "X-Service-Event": string;
                /** @description The id of the delivery, the same in every attempt. A receiver that has seen it already has the event. */
                "X-Service-Delivery": string;
                /** @description When this attempt was made, in Unix seconds. Not covered by X-Service-Signature. */
                "X-Service-Timestamp": string;
                /** @description `sha256=` and the HMAC-SHA256 of the raw body in hexadecimal. The key is the whole `webhook_secret`, including its prefix. */
                "X-Service-Signature": string;
                /** @description The version of the webhook format, a date. */
                "X-Service-Version": string;
                /** @description Standard Webhooks: the id of the delivery. */
                "webhook-id": string;
                /** @description Standard Webhooks: when this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks: `v1,` and the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` in base64. The key is the part of the `webhook_secret` after its prefix, decoded from base64. */
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
            /** @description Received. Answer 200 once the event is stored; do slow work afterwards. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer is a failure, and so is a redirect or no answer within 15 seconds. Failed attempts are repeated 30 seconds, 5 minutes and 30 minutes after the previous one. An operator may have set other times. */
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
                /** @description The event type, as in the body. */
                "X-Service-Event": string;
                /** @description The id of the delivery, the same in every attempt. A receiver that has seen it already has the event. */
                "X-Service-Delivery": string;
                /** @description When this attempt was made, in Unix seconds. Not covered by X-Service-Signature. */
                "X-Service-Timestamp": string;
                /** @description `sha256=` and the HMAC-SHA256 of the raw body in hexadecimal. The key is the whole `webhook_secret`, including its prefix. */
                "X-Service-Signature": string;
                /** @description The version of the webhook format, a date. */
                "X-Service-Version": string;
                /** @description Standard Webhooks: the id of the delivery. */
                "webhook-id": string;
                /** @description Standard Webhooks: when this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks: `v1,` and the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` in base64. The key is the part of the `webhook_secret` after its prefix, decoded from base64. */
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
                 *         "title": "Bread without kneading",
                 *         "slug": "bread-without-kneading",
                 *         "excerpt": "Four ingredients, ten minutes of work, and a night of patience.",
                 *         "tags": [
                 *           "baking",
                 *           "basics"
                 *         ],
                 *         "meta": {
                 *           "title": "Bread without kneading: the overnight method",
                 *           "description": "How to bake a crusty loaf from four ingredients with ten minutes of work.",
                 *           "og_image": "https://kitchen.example.com/images/loaf.jpg",
                 *           "canonical_url": "https://kitchen.example.com/bread-without-kneading"
                 *         },
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
            /** @description Any other answer is shown as a failure. It is not retried. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
