<?php
/** Whether a webhook is genuine. */

if (!defined('ABSPATH')) {
    exit;
}

/** Standard Webhooks: HMAC-SHA256 of id, time and body. The key is what the secret encodes in base64. */
function postrider_is_genuine($body, $delivery, $timestamp, $signatures, $secret)
{
    if ($delivery === '' || !ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if ($key === false || $key === '') {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$delivery.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}
