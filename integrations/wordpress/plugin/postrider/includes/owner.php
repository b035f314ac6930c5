<?php
/**
 * What the site's owner decided, which stays. After each writing the plugin notes what the post then was, part by part: the texts as
 * hashes, the rest as it is. What differs from the note when the next version comes was changed by somebody here.
 */

if (!defined('ABSPATH')) {
    exit;
}

/** The parts of the text. If one of them was edited here, all of them stay: a new title may not fit an old text. */
const POSTRIDER_TEXTS = ['title', 'content', 'excerpt'];

/** Everything that is noted, and so stays when it was changed here. */
const POSTRIDER_PARTS = ['title', 'content', 'excerpt', 'slug', 'date', 'tags', 'picture'];

/** What the post is now, part by part, as it is noted. */
function postrider_parts($id)
{
    $post = get_post($id);
    $tags = wp_get_post_terms($id, 'post_tag', ['fields' => 'names']);
    $tags = is_wp_error($tags) ? [] : $tags;
    sort($tags);
    // In the trash a post has another slug, and keeps its own for the way back.
    $slug = $post->post_status === 'trash' ? (string) get_post_meta($id, '_wp_desired_post_slug', true) : $post->post_name;
    return [
        'title' => md5($post->post_title),
        'content' => md5(postrider_as_read($post->post_content)),
        'excerpt' => md5($post->post_excerpt),
        'slug' => $slug,
        'date' => $post->post_date_gmt,
        'tags' => $tags,
        'picture' => (int) get_post_thumbnail_id($id),
    ];
}

/**
 * The text as it is read. Whatever somebody changes of a post in WordPress's editor, it saves the text as well, written down in its own way: with other
 * entities, attributes in another order, and the classes that its version gives to blocks. That is no edit of anybody.
 */
function postrider_as_read($content)
{
    $tags = preg_replace_callback(POSTRIDER_TAG, function ($found) {
        [$tag, $slash, $name, $attributes] = $found;
        if (strpos($attributes, "'") !== false) {
            return $tag; // somebody here wrote it
        }
        $plain = preg_replace_callback('~(?<=\sclass=")[^"]*~', function ($classes) {
            return trim(preg_replace('~\bwp-block-[a-z-]+~', '', $classes[0]));
        }, $attributes);
        preg_match_all('~[^\s="/]+(?:="[^"]*")?~', preg_replace('~ class=""|=""~', '', $plain), $each);
        sort($each[0]);
        // What is a tag is none of what is only written like one.
        return "\x01$slash$name " . implode(' ', $each[0]) . "\x02";
    }, $content);
    $tight = preg_replace('~(?<!\s)\s*(<!-- /?wp:.*?-->)\s*~s', '$1', $tags ?? $content);
    return html_entity_decode($tight ?? $content, ENT_QUOTES | ENT_HTML5, 'UTF-8');
}

/** What was noted after the last writing; empty when nothing was. */
function postrider_note($id)
{
    $note = $id ? get_post_meta($id, '_postrider_note', true) : '';
    return is_array($note) ? $note : [];
}

/** Notes the parts that have just been written as they are now, and what else is to be remembered with them. */
function postrider_take_note($id, array $written, array $more = [])
{
    $note = array_merge(postrider_note($id), array_intersect_key(postrider_parts($id), array_flip($written)), $more);
    update_post_meta($id, '_postrider_note', wp_slash($note));
    delete_post_meta($id, '_postrider_writing');
}

/** The names of the parts that were changed here since they were noted. A writing that broke off is no decision of anybody. */
function postrider_changed_here($id)
{
    $note = postrider_note($id);
    if (!$note || get_post_meta($id, '_postrider_writing', true)) {
        return [];
    }
    $changed = [];
    foreach (postrider_parts($id) as $part => $now) {
        if (array_key_exists($part, $note) && $note[$part] !== $now) {
            $changed[] = $part;
        }
    }
    return array_intersect(POSTRIDER_TEXTS, $changed) ? array_unique(array_merge($changed, POSTRIDER_TEXTS)) : $changed;
}

/** The status that the post gets when a version comes: published, unless somebody here made it something else. */
function postrider_status_for($id)
{
    $status = $id ? get_post_status($id) : 'publish';
    $removal = $id ? get_post_meta($id, '_postrider_removal', true) : '';
    if ($status === 'trash' && is_array($removal)) {
        $status = $removal['status']; // Postrider removed it: it comes back as what it was
    } elseif ($status === 'trash' && !postrider_note($id)) {
        $status = 'publish'; // of the receiver of one file, which took no notes
    }
    return in_array($status, ['publish', 'future'], true) ? 'publish' : $status;
}

/** Remembers that somebody here deleted a post for good, so that its next version does not bring it back. */
function postrider_remember_deletion($id)
{
    $postrider_id = get_post_meta($id, '_postrider_id', true);
    if ($postrider_id && !get_post_meta($id, '_postrider_removal', true)) {
        update_option('postrider_dismissed', array_merge(postrider_dismissed(), [$postrider_id => time()]), false);
    }
}

/** When posts were deleted here for good, by Postrider's ids. */
function postrider_dismissed()
{
    return (array) get_option('postrider_dismissed', []);
}

/** What Postrider put into the trash and somebody took out again is theirs to put there next time. */
function postrider_forget_removal($id)
{
    delete_post_meta($id, '_postrider_removal');
}
