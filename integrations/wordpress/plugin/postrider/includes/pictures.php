<?php
/**
 * Pictures of posts, copied into the media library once each: found again by the address they came from (`_postrider_source`) and by their
 * bytes (`_postrider_sha256`). A picture that cannot be copied stays where it is, and is tried again with the next version; it never
 * keeps a post from being stored. A webhook copies for a few seconds, WP-Cron what is left.
 */

if (!defined('ABSPATH')) {
    exit;
}

const POSTRIDER_LARGEST_PICTURE = 20 * 1024 * 1024;

/** A picture's pixels lie in memory at four bytes each while WordPress makes its smaller sizes. */
const POSTRIDER_MOST_PIXELS = 32000000;

/** How long WP-Cron copies the pictures of one post before it goes on later, in seconds. */
const POSTRIDER_CRON_SECONDS = 20;

/** The addresses of the pictures that a version shows, each with the SHA-256 of its bytes, or '' while that is not known. */
function postrider_picture_addresses(array $post)
{
    preg_match_all('/<img\b[^>]*?\ssrc="([^"]*)"/i', $post['body']['html'], $found);
    $addresses = array_map('postrider_decoded', $found[1]);
    array_unshift($addresses, $post['meta']['og_image'] ?? '');
    $hashes = array_column($post['media'] ?? [], 'sha256', 'url');
    $wanted = [];
    foreach (array_filter($addresses, 'postrider_is_elsewhere') as $address) {
        $wanted[$address] = (string) ($hashes[$address] ?? '');
    }
    return $wanted;
}

/** The value of an attribute of HTML. */
function postrider_decoded($value)
{
    return html_entity_decode($value, ENT_QUOTES | ENT_HTML5, 'UTF-8');
}

/** Whether this is an address of the web that is not this site's own. */
function postrider_is_elsewhere($address)
{
    $parts = wp_parse_url($address);
    return in_array(strtolower($parts['scheme'] ?? ''), ['http', 'https'], true)
        && strncmp($address, trailingslashit(home_url()), strlen(trailingslashit(home_url()))) !== 0;
}

/** Copies pictures, `address => sha256`, until the deadline. Returns those that are still missing. */
function postrider_copy_pictures(array $wanted, $post_id, $deadline)
{
    $missing = [];
    foreach ($wanted as $address => $sha256) {
        $remaining = $deadline - microtime(true);
        if (!postrider_attachment($address, $sha256) && ($remaining < 1 || !postrider_copy($address, $post_id, min(2, $remaining)))) {
            $missing[$address] = $sha256;
        }
    }
    return $missing;
}

/** WP-Cron: copies the pictures that a webhook left, and shows those copies in the post. */
function postrider_copy_rest($id, array $wanted)
{
    $deadline = microtime(true) + POSTRIDER_CRON_SECONDS;
    while ($wanted && microtime(true) < $deadline) {
        $address = (string) array_key_first($wanted);
        if (!postrider_attachment($address, $wanted[$address])) {
            postrider_copy($address, $id, 15);
        }
        unset($wanted[$address]);
    }
    $postrider_id = get_post_meta($id, '_postrider_id', true);
    if ($postrider_id) {
        postrider_locked($postrider_id, POSTRIDER_CRON_SECONDS, function () use ($postrider_id) {
            postrider_show_copies($postrider_id);
        });
    }
    if ($wanted) {
        wp_schedule_single_event(time(), 'postrider_pictures', [$id, $wanted]);
    }
}

/** Puts the copies that are there by now into the post, unless its text or its picture was changed here. */
function postrider_show_copies($postrider_id)
{
    $id = postrider_find($postrider_id);
    if (!$id || !postrider_note($id)) {
        return;
    }
    $changed = postrider_changed_here($id);
    $written = [];
    $fields = ['ID' => $id, 'post_status' => get_post_status($id)];
    $content = get_post($id)->post_content;
    $shown = postrider_name_copies(postrider_with_own_pictures($content));
    if ($shown !== $content && !in_array('content', $changed, true)) {
        $fields['post_content'] = $shown;
        $written[] = 'content';
    }
    $picture = postrider_attachment(postrider_seo_of($id)['og_image'] ?? '');
    if ($picture && !in_array('picture', $changed, true) && $picture !== (int) get_post_thumbnail_id($id)) {
        $fields['meta_input'] = ['_thumbnail_id' => $picture];
        $written[] = 'picture';
    }
    if ($written && !is_wp_error(postrider_write($id, $fields))) {
        postrider_take_note($id, $written);
    }
}

/** The HTML with the addresses of the copies in place of those that were copied. WordPress adds their smaller sizes by the class. */
function postrider_with_own_pictures($html, array $post = [])
{
    return preg_replace_callback('/<img\b[^>]*?\ssrc="([^"]*)"[^>]*>/i', function ($found) use ($post) {
        [$tag, $source] = $found;
        $id = postrider_copy_of(postrider_decoded($source), $post);
        $url = $id ? wp_get_attachment_url($id) : false;
        if (!$url) {
            return $tag;
        }
        $shown = str_replace(" src=\"$source\"", ' src="' . esc_url($url) . '"', $tag);
        return preg_match('/\sclass="/i', $shown)
            ? preg_replace('/\sclass="/i', " class=\"wp-image-$id ", $shown, 1)
            : preg_replace('/^<img\b/i', "<img class=\"wp-image-$id\"", $shown, 1);
    }, $html);
}

/** The copy of a picture of this version; 0 when there is none. */
function postrider_copy_of($address, array $post)
{
    return postrider_is_elsewhere($address)
        ? postrider_attachment($address, array_column($post['media'] ?? [], 'sha256', 'url')[$address] ?? '')
        : 0;
}

/** The attachment with these bytes, or from this address; 0 when there is none. */
function postrider_attachment($address, $sha256 = '')
{
    global $wpdb;
    foreach (['_postrider_sha256' => (string) $sha256, '_postrider_source' => (string) $address] as $key => $value) {
        $found = $value === '' ? null : $wpdb->get_var($wpdb->prepare(
            "SELECT ID FROM $wpdb->postmeta JOIN $wpdb->posts ON ID = post_id WHERE meta_key = %s AND meta_value = %s AND post_type = 'attachment' ORDER BY ID LIMIT 1",
            $key,
            $value
        ));
        if ($found) {
            return (int) $found;
        }
    }
    return 0;
}

/** Copies one picture into the media library. Returns the attachment's id, or 0. Two requests never copy the same address at once. */
function postrider_copy($address, $post_id, $timeout)
{
    return (int) postrider_locked("picture $address", 1, function () use ($address, $post_id, $timeout) {
        $id = postrider_attachment($address);
        // What the last try left behind when its process ended in the middle, as for want of memory.
        $mark = 'postrider_copying_' . md5($address);
        if ($id || get_transient($mark)) {
            return $id;
        }
        set_transient($mark, 1, DAY_IN_SECONDS);
        $result = postrider_download($address, $post_id, $timeout);
        delete_transient($mark);
        if (is_wp_error($result)) {
            postrider_note_failure("The picture $address was not copied: " . $result->get_error_message());
            return 0;
        }
        add_post_meta($result, '_postrider_source', wp_slash($address));
        return $result;
    });
}

/** Fetches a picture and adds it to the media library, unless its bytes are there already. Returns the attachment's id, or a WP_Error. */
function postrider_download($address, $post_id, $timeout)
{
    foreach (['file', 'media', 'image'] as $part) {
        require_once ABSPATH . "wp-admin/includes/$part.php";
    }
    $file = wp_tempnam('postrider');
    try {
        $answer = wp_safe_remote_get($address, [
            'timeout' => $timeout,
            'redirection' => 2,
            'stream' => true,
            'filename' => $file,
            'limit_response_size' => POSTRIDER_LARGEST_PICTURE + 1,
        ]);
        if (is_wp_error($answer)) {
            return $answer;
        }
        $code = wp_remote_retrieve_response_code($answer);
        $extension = $code === 200 ? postrider_picture_extension($file) : '';
        if ($extension === '') {
            return new WP_Error('postrider_picture', $code === 200 ? 'It is no picture that WordPress takes, or too large.' : "Its server answered $code.");
        }
        $sha256 = hash_file('sha256', $file);
        $known = postrider_attachment('', $sha256);
        return $known ?: postrider_add_to_library($file, postrider_picture_name($address, $extension), $post_id, $sha256);
    } finally {
        if (file_exists($file)) {
            unlink($file);
        }
    }
}

function postrider_add_to_library($file, $name, $post_id, $sha256)
{
    $id = media_handle_sideload(['name' => $name, 'tmp_name' => $file], $post_id, null, ['post_author' => postrider_choices()['post_author']]);
    if (!is_wp_error($id)) {
        add_post_meta($id, '_postrider_sha256', $sha256);
    }
    return $id;
}

/** The extension that belongs to what is in the file, whatever its address says; empty when it is none of the usual kinds, or too large. */
function postrider_picture_extension($file)
{
    clearstatcache(true, $file);
    $size = filesize($file) > POSTRIDER_LARGEST_PICTURE ? false : wp_getimagesize($file);
    if (!$size || $size[0] * $size[1] > POSTRIDER_MOST_PIXELS) {
        return '';
    }
    $extensions = ['image/jpeg' => 'jpg', 'image/png' => 'png', 'image/gif' => 'gif', 'image/webp' => 'webp', 'image/avif' => 'avif'];
    $type = $size['mime'];
    return in_array($type, get_allowed_mime_types(), true) ? $extensions[$type] ?? '' : '';
}

/** A file name from the address, with the right extension. */
function postrider_picture_name($address, $extension)
{
    $name = pathinfo(rawurldecode((string) wp_parse_url($address, PHP_URL_PATH)), PATHINFO_FILENAME);
    $name = sanitize_file_name(substr($name, 0, 100));
    return ($name === '' ? 'picture' : $name) . ".$extension";
}
