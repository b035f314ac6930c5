<?php
/** Removing a post that Postrider has withdrawn. */

if (!defined('ABSPATH')) {
    exit;
}

/** Moves the post to the trash, whatever its owner made of it. Returns `status`, `message` and `id`. */
function postrider_remove($id)
{
    if (!$id || get_post_status($id) === 'trash') {
        return ['status' => 200, 'message' => 'It is not here.', 'id' => $id];
    }
    update_post_meta($id, '_postrider_removal', ['status' => get_post_status($id), 'at' => time()]);
    if (!wp_trash_post($id)) {
        delete_post_meta($id, '_postrider_removal');
        return ['status' => 500, 'message' => 'The post could not be moved to the trash.', 'id' => $id];
    }
    // Where the trash is switched off, it is gone.
    return ['status' => 200, 'message' => 'Removed.', 'id' => get_post_status($id) === 'trash' ? $id : 0];
}
