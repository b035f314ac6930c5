<?php
/** What the settings page tells of the past: the last event, and what failed last. */

if (!defined('ABSPATH')) {
    exit;
}

/** Notes that a genuine event came. */
function postrider_note_event(array $event)
{
    update_option('postrider_last_event', [
        'at' => time(),
        'event' => $event['event'],
        'title' => $event['post']['title'] ?? $event['post']['slug'] ?? '',
    ], false);
}

/** Notes what failed. Of requests that anybody may send, at most one a minute is noted. */
function postrider_note_failure($message, $from_anybody = false)
{
    $last = get_option('postrider_last_failure');
    if ($from_anybody && $last && $last['at'] > time() - 60) {
        return;
    }
    update_option('postrider_last_failure', ['at' => time(), 'message' => $message], false);
}
