<?php
/** Locks of the database, for what must not overlap: a request that has timed out may still be at work when the next one comes. */

if (!defined('ABSPATH')) {
    exit;
}

/** Runs `$work` while no other request holds the lock, and returns its result; null when the lock was not free within `$seconds`. */
function postrider_locked($what, $seconds, callable $work)
{
    global $wpdb;
    $lock = 'postrider ' . md5(DB_NAME . $wpdb->prefix . $what); // locks are the whole server's
    if ((int) $wpdb->get_var($wpdb->prepare('SELECT GET_LOCK(%s, %d)', $lock, $seconds)) !== 1) {
        return null;
    }
    try {
        return $work();
    } finally {
        $wpdb->query($wpdb->prepare('SELECT RELEASE_LOCK(%s)', $lock));
    }
}
