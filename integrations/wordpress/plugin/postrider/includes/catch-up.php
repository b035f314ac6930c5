<?php
/**
 * Earlier posts: what was published before the site was connected, read from the Pull API in batches. The option `postrider_catch_up` says
 * how far it is: `state` is `running`, `done` or `failed`; `cursor` is where to go on; `done`, `total` and `failed` count posts; `until`
 * is when it may go on after a rate limit or while the service cannot be reached. Each batch is one step, which the open settings page asks
 * for and WP-Cron too, so that it goes on when the page is closed. Once it was done, the site looks every hour for what it has missed.
 */

if (!defined('ABSPATH')) {
    exit;
}

/** How many posts a batch has. After a batch in which PHP ended, for want of memory or time, the next one has half as many. */
const POSTRIDER_BATCH = 20;

/** When it goes on while the service cannot be reached, in seconds. */
const POSTRIDER_PAUSE_SECONDS = 60;

/** How long WP-Cron works before it lets others have their turn, in seconds. */
const POSTRIDER_TURN_SECONDS = 20;

const POSTRIDER_NOTHING_DONE = ['done' => 0, 'failed' => 0, 'until' => 0, 'message' => '', 'again' => false, 'batch' => POSTRIDER_BATCH];

/** How far it is; without anything it has not begun. */
function postrider_progress()
{
    // Another process may have written it since this one read it.
    wp_cache_delete('postrider_catch_up', 'options');
    return (array) get_option('postrider_catch_up', []) + ['state' => '', 'cursor' => '', 'total' => 0] + POSTRIDER_NOTHING_DONE;
}

function postrider_save_progress(array $progress)
{
    update_option('postrider_catch_up', $progress, false);
    return $progress;
}

/** Begins with everything, or with what has changed since `$cursor`. */
function postrider_begin_catch_up($cursor = '')
{
    $total = $cursor === '' ? (int) (postrider_ask('/api/pull/digest')['body']['posts'] ?? 0) : 0;
    postrider_save_progress(['state' => 'running', 'cursor' => $cursor, 'total' => $total] + POSTRIDER_NOTHING_DONE);
    wp_schedule_single_event(time(), 'postrider_catch_up');
}

/** WP-Cron: does batches for a while, and comes back for the rest. */
function postrider_catch_up()
{
    $deadline = microtime(true) + POSTRIDER_TURN_SECONDS;
    do {
        $progress = postrider_catch_up_step();
    } while ($progress['state'] === 'running' && $progress['until'] <= time() && microtime(true) < $deadline);
    if ($progress['state'] === 'running') {
        wp_schedule_single_event(max(time() + 1, $progress['until']), 'postrider_catch_up');
    }
}

/** WP-Cron, hourly: fetches what was missed since the last time. */
function postrider_stay_level()
{
    $progress = postrider_progress();
    if ($progress['state'] !== 'running' && $progress['cursor'] !== '') {
        postrider_begin_catch_up($progress['cursor']);
        postrider_catch_up();
    }
}

/** Looks every hour from now on, if there is something to go on from. */
function postrider_schedule_level()
{
    if (postrider_progress()['cursor'] !== '' && !wp_next_scheduled('postrider_stay_level')) {
        wp_schedule_event(time() + HOUR_IN_SECONDS, 'hourly', 'postrider_stay_level');
    }
}

/** Does one batch, unless another process is at one. Returns how far it is. */
function postrider_catch_up_step()
{
    $progress = postrider_locked('catch-up', 0, function () {
        $progress = postrider_progress();
        if ($progress['state'] !== 'running' || $progress['until'] > time()) {
            return $progress;
        }
        postrider_save_progress(array_merge($progress, ['batch' => max(1, intdiv($progress['batch'], 2))]));
        $progress = postrider_save_progress(postrider_batch($progress));
        if ($progress['state'] === 'done') {
            postrider_schedule_level();
        }
        return $progress;
    });
    return $progress ?? postrider_progress();
}

/** Reads one batch of changes and stores them. Returns how far it is then. */
function postrider_batch(array $progress)
{
    $query = ['limit' => $progress['batch'], 'include' => 'body'] + ($progress['cursor'] === '' ? [] : ['cursor' => $progress['cursor']]);
    $answer = postrider_ask('/api/pull/changes?' . http_build_query($query));
    if ($answer['status'] === 410) { // too old a cursor: everything again, and what is not there any more goes
        return array_merge($progress, ['cursor' => '', 'done' => 0, 'again' => true]);
    }
    if ($answer['status'] !== 200) {
        return postrider_held_up($progress, $answer);
    }
    $confirmations = array_map('postrider_take_change', $answer['body']['changes']);
    if (in_array(false, $confirmations, true)) {
        return $progress; // a webhook is at work on one of them: the batch comes again, and changes nothing where it was stored
    }
    $reports = array_values(array_filter($confirmations));
    $confirmed = $reports ? postrider_ask('/api/pull/confirmations', ['confirmations' => $reports]) : $answer;
    if ($confirmed['status'] !== 200) {
        return postrider_held_up($progress, $confirmed);
    }
    $done = $progress['done'] + count($confirmations);
    $failed = $progress['failed'] + count(array_keys(array_column($reports, 'status'), 'failed', true));
    $now = ['cursor' => $answer['body']['cursor'], 'done' => $done, 'failed' => $failed, 'message' => '', 'until' => 0, 'batch' => POSTRIDER_BATCH];
    $progress = array_merge($progress, $now, ['total' => max($progress['total'], $done)]);
    return $answer['body']['more'] ? $progress : postrider_caught_up($progress);
}

/** Waits where waiting helps, else gives up with what the service said. */
function postrider_held_up(array $progress, array $answer)
{
    $is_full = $answer['status'] === 429;
    $message = $is_full ? 'The rate limit is reached.' : postrider_said($answer);
    if (!$is_full) {
        postrider_note_failure($message);
    }
    if (!$is_full && $answer['status'] !== 0 && $answer['status'] < 500) {
        return array_merge($progress, ['state' => 'failed', 'message' => $message]);
    }
    $until = time() + ($answer['wait'] ?: POSTRIDER_PAUSE_SECONDS);
    return array_merge($progress, ['until' => $until, 'message' => $message . ' It goes on at ' . wp_date('H:i', $until) . '.']);
}

function postrider_caught_up(array $progress)
{
    if ($progress['again']) {
        postrider_remove_extra();
    }
    return array_merge($progress, ['state' => 'done', 'at' => time()]);
}

/** Stores one change. Returns its confirmation, null for a removal, which needs none, and false while another request is at work on the post. */
function postrider_take_change(array $change)
{
    try {
        $result = postrider_locked($change['post_id'], POSTRIDER_LOCK_SECONDS, function () use ($change) {
            return postrider_apply_change($change);
        });
    } catch (Throwable $error) {
        $result = ['status' => 500, 'message' => 'The post could not be stored: ' . $error->getMessage(), 'id' => 0];
    }
    if ($result === null || $change['event'] === 'deleted') {
        return $result === null ? false : null;
    }
    $report = ['post_id' => $change['post_id'], 'version' => $change['post']['version']];
    if ($result['status'] !== 200) {
        postrider_note_failure($result['message']);
        return $report + ['status' => 'failed', 'error_message' => substr($result['message'], 0, 900)];
    }
    $url = postrider_address($result['id']);
    return $report + ['status' => 'delivered'] + ($url === '' ? [] : ['published_url' => $url]);
}

/** A change may be older than a webhook that overtook it. One of the version that is here may bring the address of the original. */
function postrider_apply_change(array $change)
{
    $id = postrider_find($change['post_id']);
    $here = $id ? (int) get_post_meta($id, '_postrider_version', true) : 0;
    $removal = $id ? get_post_meta($id, '_postrider_removal', true) : '';
    if ($change['event'] === 'deleted') {
        return $here > $change['version'] ? ['status' => 200, 'message' => 'A newer version is here.', 'id' => $id] : postrider_remove($id);
    }
    $was_removed_since = is_array($removal) && $here >= $change['post']['version'] && strtotime($change['at']) < $removal['at'];
    $is_here = $id && !is_array($removal) && $here === $change['post']['version']
        && postrider_seo_of($id) == postrider_seo_given($change['post']);
    if ($was_removed_since || $is_here) {
        return ['status' => 200, 'message' => 'It is here.', 'id' => $id];
    }
    return postrider_keep($id, $change['post'], 0); // pictures later
}

/** Moves to the trash what this site has and, after a pause of months, should not have any more. */
function postrider_remove_extra()
{
    global $wpdb;
    $rows = $wpdb->get_results(
        "SELECT a.meta_value AS id, b.meta_value AS version FROM $wpdb->postmeta a JOIN $wpdb->postmeta b ON b.post_id = a.post_id
        JOIN $wpdb->posts ON ID = a.post_id
        WHERE a.meta_key = '_postrider_id' AND b.meta_key = '_postrider_version' AND post_status <> 'trash' LIMIT 10000"
    );
    $have = array_map(function ($row) {
        return ['id' => $row->id, 'version' => (int) $row->version];
    }, $rows);
    $extra = $have ? postrider_ask('/api/pull/digest', ['have' => $have])['body']['extra'] ?? [] : [];
    foreach ($extra as $postrider_id) {
        postrider_locked($postrider_id, POSTRIDER_LOCK_SECONDS, function () use ($postrider_id) {
            return postrider_remove(postrider_find($postrider_id));
        });
    }
}
