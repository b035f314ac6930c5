<?php
/** What connects this site with its Postrider: the connection code, and the settings page's choices for new posts. */

if (!defined('ABSPATH')) {
    exit;
}

/** One of the choices on the settings page: `connection`, `category` or `author`. */
function postrider_setting($name)
{
    $settings = get_option('postrider_settings');
    return $settings[$name] ?? null;
}

/** The connection code: of wp-config.php if it is there, else of the settings page. */
function postrider_connection_code()
{
    return trim((string) (defined('POSTRIDER_CONNECTION') ? POSTRIDER_CONNECTION : postrider_setting('connection')));
}

/** What the code says: `url` of the service, `site`, `key` and `secret`; null while there is no code that can be read. */
function postrider_connection()
{
    return postrider_parse_connection(postrider_connection_code());
}

/** Reads a connection code, which is base64url of JSON after `prc_`; null when it is not one. */
function postrider_parse_connection($code)
{
    if (strncmp($code, 'prc_', 4) !== 0) {
        return null;
    }
    $json = base64_decode(strtr(substr($code, 4), '-_', '+/'), true);
    $parts = $json === false ? null : json_decode($json, true);
    foreach (['url', 'site', 'key', 'secret'] as $name) {
        if (!isset($parts[$name]) || !is_string($parts[$name]) || $parts[$name] === '') {
            return null;
        }
    }
    return $parts;
}

/** Why this site is not connected, as a sentence that says what to do; empty when it is. */
function postrider_connection_problem()
{
    if (postrider_connection()) {
        return '';
    }
    if (postrider_connection_code() === '') {
        return 'This site is not connected to Postrider. Copy the connection code from the site’s page in Postrider, and paste it in Settings → Postrider.';
    }
    return 'The connection code is cut off or not one. Copy all of it, from prc_ on, from the site’s page in Postrider, and paste it '
        . (defined('POSTRIDER_CONNECTION') ? 'into POSTRIDER_CONNECTION in wp-config.php.' : 'in Settings → Postrider.');
}
