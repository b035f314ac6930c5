<?php
/** What the settings page tells of the past: what came last, and what failed last. */

if (!defined('ABSPATH')) {
    exit;
}

/** Notes that an event came and was dealt with. */
function postrider_note_event(array $event)
{
    update_option('postrider_last_event', [
        'at' => time(),
        'event' => $event['event'],
        'title' => $event['post']['title'] ?? $event['post']['slug'] ?? '',
    ], false);
}

/** Notes what failed. The same again within a minute is not noted: anybody may send requests that fail. */
function postrider_note_failure($message)
{
    $last = get_option('postrider_last_failure');
    if (!$last || $last['message'] !== $message || $last['at'] < time() - 60) {
        update_option('postrider_last_failure', ['at' => time(), 'message' => $message], false);
    }
}
