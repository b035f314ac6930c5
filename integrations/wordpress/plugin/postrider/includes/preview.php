<?php
/**
 * Previews in this site's own design: the address of a post with the slug `preview-TOKEN` shows the post of that preview link, as it would be if it
 * were published now. Nothing is stored: the theme gets a post that is only in memory.
 */

if (!defined('ABSPATH')) {
    exit;
}

/** The id of a post that is only in memory. No stored post has it; a negative one WordPress would take for another. */
const POSTRIDER_PREVIEW_ID = PHP_INT_MAX;

function postrider_hook_preview()
{
    add_filter('posts_pre_query', 'postrider_find_preview', 10, 2);
}

/** Answers the query for the page of a preview; any other goes its way. */
function postrider_find_preview($posts, $query)
{
    // The address itself: names are in lower case by now, and a token has both.
    $path = (string) wp_parse_url(add_query_arg([]), PHP_URL_PATH);
    if (!$query->is_main_query() || is_admin() || !preg_match('#/(preview-(?=.*[A-Z_])[\w-]{43})/?$#', $path, $found)) {
        return $posts;
    }
    $given = postrider_ask('/api/pull/lookup?slug=' . $found[1], null, 3)['body']['post'] ?? null;
    if (!$given) {
        return $posts;
    }
    $post = postrider_preview_post($given);
    $query->is_page = false;
    $query->is_404 = false;
    $query->is_single = true;
    $query->is_singular = true;
    $query->queried_object = $post;
    $query->queried_object_id = $post->ID;
    $query->found_posts = 1;
    add_filter('wp_robots', 'wp_robots_no_robots');
    add_filter('redirect_canonical', '__return_false');
    add_filter('comments_open', '__return_false');
    nocache_headers();
    if (!defined('DONOTCACHEPAGE')) {
        define('DONOTCACHEPAGE', true); // what plugins that cache pages look for
    }
    return [$post];
}

/** A post for the theme, as one that is published now, with what WordPress would keep beside it. */
function postrider_preview_post(array $post)
{
    $fields = postrider_fields(0, $post, []);
    $columns = array_intersect_key($fields, get_object_vars(new WP_Post((object) [])));
    $made = new WP_Post((object) (['ID' => POSTRIDER_PREVIEW_ID, 'post_status' => 'publish'] + $columns));
    $made->filter = 'raw';
    wp_cache_set(POSTRIDER_PREVIEW_ID, $made, 'posts');
    add_action('shutdown', function () {
        wp_cache_delete(POSTRIDER_PREVIEW_ID, 'posts'); // the cache may outlive the request
    });
    add_filter('get_post_metadata', function ($value, $id, $key) use ($fields) {
        $kept = $fields['meta_input'][$key] ?? null;
        return (int) $id === POSTRIDER_PREVIEW_ID && $kept !== null ? [$kept] : $value;
    }, 10, 3);
    // Tags that this site has; the others would be made when the post is stored.
    add_filter('get_the_terms', function ($terms, $id, $taxonomy) use ($fields) {
        if ((int) $id !== POSTRIDER_PREVIEW_ID) {
            return $terms;
        }
        $named = ['taxonomy' => $taxonomy, 'name' => $fields['tags_input'], 'hide_empty' => false];
        return $taxonomy === 'post_tag' && $fields['tags_input'] ? get_terms($named) : [];
    }, 10, 3);
    return $made;
}
