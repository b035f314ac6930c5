<?php
/** Asking Postrider's Pull API. */

if (!defined('ABSPATH')) {
    exit;
}

/**
 * Calls the Pull API; with a body it posts. Returns `status`, the decoded `body`, and `wait`: for how many seconds the rate limit says
 * to wait. When the service cannot be reached, `status` is 0 and `body` has a `message`.
 */
function postrider_ask($path, ?array $body = null, $timeout = 15)
{
    $connection = postrider_connection();
    if (!$connection) {
        return ['status' => 0, 'body' => ['message' => postrider_connection_problem()], 'wait' => 0];
    }
    $answer = wp_remote_request(untrailingslashit($connection['url']) . $path, [
        'method' => $body === null ? 'GET' : 'POST',
        'timeout' => $timeout,
        'headers' => ['X-API-Key' => $connection['key'], 'Content-Type' => 'application/json', 'Accept' => 'application/json'],
        'body' => $body === null ? null : wp_json_encode($body),
    ]);
    if (is_wp_error($answer)) {
        return ['status' => 0, 'body' => ['message' => $answer->get_error_message()], 'wait' => 0];
    }
    return [
        'status' => (int) wp_remote_retrieve_response_code($answer),
        'body' => (array) json_decode(wp_remote_retrieve_body($answer), true),
        'wait' => (int) wp_remote_retrieve_header($answer, 'retry-after'),
    ];
}

/** What an answer that is no success says, as a sentence. */
function postrider_said(array $answer)
{
    $service = postrider_connection()['url'] ?? 'Postrider';
    $message = $answer['body']['message'] ?? "It answered {$answer['status']}.";
    if ($answer['status'] === 401) {
        return "$service does not accept the key. If the site’s keys were renewed in Postrider, paste the new connection code.";
    }
    $message = rtrim($message, '.') . '.';
    return $answer['status'] === 0 ? "$service cannot be reached: $message" : "$service refused: $message";
}
