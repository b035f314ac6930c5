<?php
/** Keeping a post: Postrider's version becomes this site's, but for what somebody here decided otherwise. */

if (!defined('ABSPATH')) {
    exit;
}

/** This site's copy of Postrider's post, even in the trash; 0 when there is none. */
function postrider_find($postrider_id)
{
    $found = get_posts([
        'post_type' => 'post',
        'post_status' => array_keys(get_post_stati()),
        'meta_key' => '_postrider_id',
        'meta_value' => $postrider_id,
        'fields' => 'ids',
        'numberposts' => 1,
        'cache_results' => false,
    ]);
    $id = $found ? (int) $found[0] : 0;
    // What was cached before this request had the lock may be out of date.
    wp_cache_delete($id, 'posts');
    wp_cache_delete($id, 'post_meta');
    wp_cache_delete($id, 'post_tag_relationships');
    return $id;
}

/**
 * Stores a version of a post, as `$id` or as a new post when that is 0. Pictures are copied until `$deadline`, the rest of them later.
 * Returns `status`, `message` and `id`.
 */
function postrider_keep($id, array $post, $deadline)
{
    if (!$id && isset(postrider_dismissed()[$post['id']])) {
        return ['status' => 200, 'message' => 'The post was deleted on this site, and stays deleted.', 'id' => 0];
    }
    $is_gone = $id && get_post_meta($id, '_postrider_removal', true);
    if ($id && !$is_gone && (int) get_post_meta($id, '_postrider_version', true) > $post['version']) {
        return ['status' => 200, 'message' => 'A newer version is here already.', 'id' => $id];
    }
    $changed = $id ? postrider_changed_here($id) : [];
    $later = postrider_copy_pictures(postrider_picture_addresses($post), $id, $deadline);
    $fields = postrider_fields($id, $post, $changed);
    [$kept, $message] = postrider_atomically(function () use ($id, $post, $fields, $changed) {
        $kept = postrider_write($id, $fields);
        return [$kept, is_wp_error($kept) ? '' : postrider_after_writing($kept, $post, $fields, $changed)];
    });
    if (is_wp_error($kept)) {
        return ['status' => 500, 'message' => 'The post could not be stored: ' . $kept->get_error_message(), 'id' => $id];
    }
    if ($later) {
        wp_schedule_single_event(time(), 'postrider_pictures', [$kept, $later]);
    }
    return ['status' => 200, 'message' => $message, 'id' => $kept];
}

/**
 * A post, its fields and the notes about them: all of it is stored, or nothing. A new post whose request broke off would have no id of Postrider's
 * yet, and be there twice after the next one. Where the tables are MyISAM, which has no transactions, it is as if this were not here.
 */
function postrider_atomically(callable $work)
{
    global $wpdb;
    $wpdb->query('START TRANSACTION');
    try {
        $result = $work();
    } catch (Throwable $error) {
        $wpdb->query('ROLLBACK');
        throw $error;
    }
    $wpdb->query(is_wp_error($result[0]) ? 'ROLLBACK' : 'COMMIT');
    return $result;
}

/** What WordPress is to store: everything of the version, without the parts that were changed here. */
function postrider_fields($id, array $post, array $changed)
{
    $published = gmdate('Y-m-d H:i:s', strtotime($post['published_at']));
    $status = postrider_status_for($id);
    $picture = postrider_copy_of($post['meta']['og_image'] ?? '', $post);
    $parts = [
        'title' => ['post_title' => htmlspecialchars($post['title'], ENT_NOQUOTES)], // text with Postrider, HTML with WordPress
        'content' => ['post_content' => postrider_content($post['body']['html'], $post)],
        'excerpt' => ['post_excerpt' => htmlspecialchars($post['excerpt'], ENT_NOQUOTES)],
        'slug' => ['post_name' => $post['slug']],
        // Both dates, or a post that comes back keeps its old one.
        'date' => ['post_date' => get_date_from_gmt($published), 'post_date_gmt' => $published],
        'tags' => ['tags_input' => $post['tags']],
    ];
    if (in_array('slug', $changed, true)) {
        $parts['own slug'] = ['post_name' => postrider_parts($id)['slug']];
    }
    if ($status === 'trash') {
        unset($parts['slug'], $parts['own slug']); // it gets its own back with its way out of the trash
    }
    $fields = array_merge(['ID' => $id, 'post_type' => 'post', 'post_status' => $status], ...array_values(array_diff_key($parts, array_flip($changed))));
    $fields['meta_input'] = ['_postrider_id' => $post['id'], '_postrider_version' => $post['version']]
        + ($picture && !in_array('picture', $changed, true) ? ['_thumbnail_id' => $picture] : [])
        + postrider_seo_meta($id, $post, $picture);
    return $id ? $fields : $fields + postrider_choices();
}

/** The author and the category that new posts get. */
function postrider_choices()
{
    $author = (int) postrider_setting('author');
    if (!$author || !get_userdata($author)) {
        $administrators = get_users(['role' => 'administrator', 'number' => 1, 'fields' => 'ID']);
        $author = $administrators ? (int) $administrators[0] : 0;
    }
    $category = (int) postrider_setting('category');
    return ['post_author' => $author] + ($category && term_exists($category, 'category') ? ['post_category' => [$category]] : []);
}

/** Stores the fields. Returns the post's id, or a WP_Error. */
function postrider_write($id, array $fields)
{
    $comes_back = $id && get_post_status($id) === 'trash' && $fields['post_status'] !== 'trash';
    if ($id) {
        update_post_meta($id, '_postrider_writing', 1);
    }
    if ($comes_back) {
        // Or it would get the slug back that it had before the trash, and be erased early when it is in the trash again.
        foreach (['_wp_desired_post_slug', '_wp_trash_meta_time', '_wp_trash_meta_status', '_postrider_removal'] as $of_trash) {
            delete_post_meta($id, $of_trash);
        }
    }
    // Postrider has sanitised the text. WordPress would remove the videos, because nobody is signed in here.
    kses_remove_filters();
    try {
        $kept = $id ? wp_update_post(wp_slash($fields), true) : wp_insert_post(wp_slash($fields), true);
    } finally {
        kses_init();
    }
    if ($comes_back && !is_wp_error($kept)) {
        wp_untrash_post_comments($id);
    }
    return $kept;
}

/** Takes notes of what was written, and keeps the text beside the post that was not. Returns what to tell Postrider. */
function postrider_after_writing($id, array $post, array $fields, array $changed)
{
    $is_ours = !in_array('picture', $changed, true);
    if ($is_ours && empty($post['meta']['og_image']) && get_post_thumbnail_id($id)) {
        delete_post_thumbnail($id); // it was Postrider's, who has none any more
    }
    $source = postrider_source($post);
    $has_news = in_array('content', $changed, true) && (postrider_note($id)['source'] ?? '') !== $source;
    if ($has_news) {
        postrider_keep_beside($id, $post);
    } elseif (!in_array('content', $changed, true)) {
        delete_post_meta($id, '_postrider_newer');
    }
    $written = array_diff(POSTRIDER_PARTS, $changed);
    if ($fields['post_status'] === 'trash') {
        $written = array_diff($written, ['slug']);
    }
    postrider_take_note($id, $written, ['source' => $source, 'seo' => postrider_seo_note($id, $fields['meta_input'])]);
    return postrider_sentence($fields['post_status'], $changed, $has_news, $post['version']);
}

/** What identifies the text that Postrider sent. */
function postrider_source(array $post)
{
    return md5(serialize([$post['title'], $post['body']['html'], $post['excerpt']]));
}

/** Says what was kept, and what was left as somebody here made it. */
function postrider_sentence($status, array $changed, $has_news, $version)
{
    $sentences = [];
    if ($status !== 'publish') {
        $names = ['trash' => 'in the trash', 'private' => 'private', 'draft' => 'a draft', 'pending' => 'waiting for review'];
        $sentences[] = 'The post stays ' . ($names[$status] ?? "“{$status}”") . ', as it was made on this site.';
    }
    if ($has_news) {
        $sentences[] = "The text was edited on this site and stays; version $version is kept beside it for its owner to choose.";
    }
    $others = array_intersect(['slug', 'date', 'tags', 'picture'], $changed);
    if ($others) {
        $sentences[] = 'Changed on this site, and left so: ' . implode(', ', $others) . '.';
    }
    return $sentences ? implode(' ', $sentences) : 'Kept.';
}

/** The text as WordPress stores it: with its own copies of the pictures, and with brackets that are text, not shortcodes. */
function postrider_content($html, array $post)
{
    return str_replace('[', '&#91;', postrider_blocks(postrider_with_own_pictures($html, $post)));
}
