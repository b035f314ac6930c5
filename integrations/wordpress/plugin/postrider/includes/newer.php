<?php
/** A newer text of Postrider beside one that was edited here: kept in the post's metadata until somebody chooses. */

if (!defined('ABSPATH')) {
    exit;
}

/** Keeps the text of a version beside the post. */
function postrider_keep_beside($id, array $post)
{
    update_post_meta($id, '_postrider_newer', wp_slash([
        'version' => $post['version'],
        'title' => $post['title'],
        'html' => $post['body']['html'],
        'excerpt' => $post['excerpt'],
    ]));
}

/** The text that waits beside the post; null when there is none. */
function postrider_newer($id)
{
    $newer = $id ? get_post_meta($id, '_postrider_newer', true) : '';
    return is_array($newer) ? $newer : null;
}

/** The version of Postrider's that the page shows: an earlier one while a newer text waits for somebody to choose. */
function postrider_shown_version($id)
{
    $newer = postrider_newer($id);
    return $newer ? $newer['version'] - 1 : (int) get_post_meta($id, '_postrider_version', true);
}

/** The ids of the posts with a newer text beside them. */
function postrider_posts_with_newer()
{
    return get_posts([
        'post_type' => 'post',
        'post_status' => array_diff(array_keys(get_post_stati()), ['trash']),
        'meta_key' => '_postrider_newer',
        'fields' => 'ids',
        'numberposts' => 50,
    ]);
}

function postrider_hook_newer()
{
    add_action('admin_post_postrider_choose', 'postrider_choose');
}

/** The address that chooses: `use` Postrider's text, or `keep` one's own. */
function postrider_choice_url($id, $choice)
{
    $query = ['action' => 'postrider_choose', 'post' => $id, 'choice' => $choice];
    return wp_nonce_url(add_query_arg($query, admin_url('admin-post.php')), "postrider_choose_$id");
}

/** Does what somebody chose, and goes back to the page where they did. */
function postrider_choose()
{
    $id = (int) ($_GET['post'] ?? 0);
    check_admin_referer("postrider_choose_$id");
    if (!current_user_can('edit_post', $id)) {
        wp_die('You are not allowed to edit this post.', '', ['response' => 403]);
    }
    postrider_locked(get_post_meta($id, '_postrider_id', true), POSTRIDER_LOCK_SECONDS, function () use ($id) {
        if (($_GET['choice'] ?? '') === 'use') {
            postrider_use_newer($id);
        } else {
            delete_post_meta($id, '_postrider_newer');
        }
    });
    wp_safe_redirect(wp_get_referer() ?: admin_url('edit.php'));
    exit;
}

/** Makes Postrider's text the post's. WordPress keeps the one before as a revision. */
function postrider_use_newer($id)
{
    $newer = postrider_newer($id);
    if (!$newer) {
        return;
    }
    $fields = [
        'ID' => $id,
        'post_status' => get_post_status($id),
        'post_title' => htmlspecialchars($newer['title'], ENT_NOQUOTES),
        'post_content' => postrider_content($newer['html'], []),
        'post_excerpt' => htmlspecialchars($newer['excerpt'], ENT_NOQUOTES),
    ];
    if (!is_wp_error(postrider_write($id, $fields))) {
        postrider_take_note($id, POSTRIDER_TEXTS);
        delete_post_meta($id, '_postrider_newer');
    }
}
