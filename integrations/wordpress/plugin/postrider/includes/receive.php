<?php
/** The webhook: what comes in, and what is answered. 200 means that the event is dealt with; after anything else Postrider sends it again. */

if (!defined('ABSPATH')) {
    exit;
}

/** More than any webhook has. */
const POSTRIDER_LARGEST_BODY = 8 * 1024 * 1024;

/** How long a request waits for another one that is at work on the same post, and how long it may copy pictures, in seconds. */
const POSTRIDER_LOCK_SECONDS = 5;
const POSTRIDER_PICTURE_SECONDS = 4;

const POSTRIDER_ROUTE = '/postrider/v1/webhook';

function postrider_register_webhook()
{
    register_rest_route('postrider/v1', '/webhook', [
        'methods' => 'POST',
        'callback' => 'postrider_receive',
        'permission_callback' => '__return_true', // the signature decides
    ]);
}

/** Answers 413 before WordPress parses the body; else returns what it was given. */
function postrider_refuse_large($answer, $server, WP_REST_Request $request)
{
    if ($request->get_route() !== POSTRIDER_ROUTE || $request->get_method() !== 'POST') {
        return $answer;
    }
    $given = strlen($request->get_body());
    $announced = (int) $request->get_header('content-length');
    if (max($given, $announced) > POSTRIDER_LARGEST_BODY) {
        return postrider_answer(413, 'The body is larger than 8 MiB.');
    }
    if ($given < $announced) {
        return postrider_refuse(413, 'PHP of this site takes no body of ' . $announced . ' bytes. Raise post_max_size to 9M.');
    }
    return $answer;
}

/** Receives one webhook. */
function postrider_receive(WP_REST_Request $request)
{
    $connection = postrider_connection();
    if (!$connection) {
        return postrider_answer(503, postrider_connection_problem());
    }
    $body = $request->get_body(); // the raw bytes, which the signature covers
    $delivery = (string) $request->get_header('webhook-id');
    $timestamp = (string) $request->get_header('webhook-timestamp');
    $signatures = (string) $request->get_header('webhook-signature');
    if (!postrider_is_genuine($body, $delivery, $timestamp, $signatures, $connection['secret'])) {
        $message = 'The signature does not match, or is more than five minutes old. If the site’s keys were renewed in Postrider, paste the new connection code.';
        postrider_note_failure($message);
        return postrider_answer(401, $message);
    }
    $event = json_decode($body, true);
    if ($event['event'] === 'site.test') {
        return postrider_probe($event, $delivery);
    }
    try {
        $result = postrider_locked($event['post']['id'], POSTRIDER_LOCK_SECONDS, function () use ($event, $delivery) {
            return postrider_apply($event, $delivery);
        });
    } catch (Throwable $error) {
        return postrider_refuse(500, 'The post could not be stored: ' . $error->getMessage());
    }
    if ($result === null) {
        return postrider_refuse(503, 'An earlier request for this post is still at work.');
    }
    if ($result['status'] !== 200) {
        return postrider_refuse($result['status'], $result['message']);
    }
    postrider_note_event($event);
    return postrider_answer(200, $result['message'], postrider_address($result['id']));
}

/** Does what an event says, unless that was done: each may come twice. Returns `status`, `message` and the `id` of this site's post. */
function postrider_apply(array $event, $delivery)
{
    $id = postrider_find($event['post']['id']);
    $deliveries = $id ? (array) get_post_meta($id, '_postrider_deliveries', true) : [];
    if (in_array($delivery, $deliveries, true)) {
        return ['status' => 200, 'message' => 'Received before.', 'id' => $id];
    }
    $result = $event['event'] === 'post.deleted'
        ? postrider_remove($id)
        : postrider_keep($id, $event['post'], microtime(true) + POSTRIDER_PICTURE_SECONDS);
    if ($result['status'] === 200 && $result['id']) {
        $deliveries = array_filter(array_merge($deliveries, [$delivery]));
        update_post_meta($result['id'], '_postrider_deliveries', array_slice($deliveries, -20));
    }
    return $result;
}

/** Writes something into the database, reads it there and removes it: what has to work when a post comes. */
function postrider_probe(array $event, $delivery)
{
    global $wpdb;
    delete_option('postrider_probe');
    add_option('postrider_probe', $delivery, '', 'no');
    $kept = $wpdb->get_var("SELECT option_value FROM $wpdb->options WHERE option_name = 'postrider_probe'");
    $error = $wpdb->last_error;
    delete_option('postrider_probe');
    if ($kept !== $delivery) {
        return postrider_refuse(503, 'WordPress’s database does not keep what is written to it. ' . $error);
    }
    postrider_note_event($event);
    return new WP_REST_Response(['ok' => true, 'store' => 'WordPress', 'previews' => true], 200);
}

/** The address at which visitors read the post; empty while they cannot. */
function postrider_address($id)
{
    return $id && get_post_status($id) === 'publish' ? (string) get_permalink($id) : '';
}

/** An answer that the settings page tells of, too. */
function postrider_refuse($status, $message)
{
    postrider_note_failure($message);
    return postrider_answer($status, $message);
}

function postrider_answer($status, $message, $url = '')
{
    $body = ['ok' => $status === 200, 'message' => $message];
    return new WP_REST_Response($url === '' ? $body : $body + ['url' => $url], $status);
}
