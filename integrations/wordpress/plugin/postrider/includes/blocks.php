<?php
/**
 * A text as blocks of WordPress's editor, so that somebody who edits it there sees paragraphs, headings, lists and pictures. The editor refuses a
 * block whose HTML is not exactly what it would have written; so what has more to it than a block can hold is a block of plain HTML, as it came.
 */

if (!defined('ABSPATH')) {
    exit;
}

/** A tag: its slash, its name and its attributes, whose values Postrider's sanitiser has put into double quotes. */
const POSTRIDER_TAG = '~<(/?)([a-z][a-z0-9-]*)((?:[^>"]++|"[^"]*+")*+)>~';

const POSTRIDER_VOID_TAGS = ['area', 'br', 'col', 'embed', 'hr', 'img', 'input', 'source', 'track', 'wbr'];

/** What may stand in the text of a list's item. */
const POSTRIDER_INLINE = '~^(?:[^<]++|</?(?:a|abbr|b|br|cite|code|del|em|i|img|ins|kbd|mark|q|s|small|span|strong|sub|sup|u)\b[^>]*+>)*+$~';

/** The text as blocks. What stays HTML and stands together is one block: spaces between words come to nothing otherwise. */
function postrider_blocks($html)
{
    $blocks = [];
    $rest = '';
    foreach (postrider_elements($html) as $element) {
        $block = postrider_block($element);
        if ($block === null) {
            $rest .= $element['html'];
            continue;
        }
        $blocks[] = postrider_html_block($rest);
        $blocks[] = $block;
        $rest = '';
    }
    $blocks[] = postrider_html_block($rest);
    return implode("\n\n", array_filter($blocks));
}

function postrider_html_block($html)
{
    return trim($html) === '' ? '' : postrider_wrapped('html', trim($html));
}

/**
 * The elements that HTML consists of, and the text between them, in order: arrays of `tag` ('' for text), `attributes`, `inner` and `html`,
 * which is all of it. HTML whose tags do not match is one piece of text.
 */
function postrider_elements($html)
{
    $elements = [];
    $depth = $end = $at = 0;
    while (preg_match(POSTRIDER_TAG, $html, $found, PREG_OFFSET_CAPTURE, $at)) {
        [[$tag, $begin], [$slash], [$name], [$attributes]] = $found;
        $at = $begin + strlen($tag);
        $is_void = in_array($name, POSTRIDER_VOID_TAGS, true);
        if ($depth === 0 && $slash === '') {
            $elements[] = postrider_text_of($html, $end, $begin);
            $opened = ['tag' => $name, 'attributes' => $attributes, 'from' => $begin, 'inner' => $at];
        }
        $depth += $is_void ? 0 : ($slash === '' ? 1 : -1);
        if ($depth < 0) {
            break;
        }
        if ($depth === 0) {
            $inner = (string) substr($html, $opened['inner'], max(0, $begin - $opened['inner']));
            $elements[] = ['inner' => $inner, 'html' => substr($html, $opened['from'], $at - $opened['from'])] + $opened;
            $end = $at;
        }
    }
    if ($depth !== 0) {
        return [postrider_text_of($html, 0, strlen($html))];
    }
    $elements[] = postrider_text_of($html, $end, strlen($html));
    return array_values(array_filter($elements, function ($element) {
        return $element['html'] !== '';
    }));
}

/** The same without the space between them. */
function postrider_solid($html)
{
    return array_values(array_filter(postrider_elements($html), function ($element) {
        return trim($element['html']) !== '';
    }));
}

function postrider_text_of($html, $from, $to)
{
    $text = (string) substr($html, $from, $to - $from);
    return ['tag' => '', 'attributes' => '', 'inner' => $text, 'html' => $text];
}

/** A block, as WordPress stores it. */
function postrider_wrapped($name, $html, array $attributes = [])
{
    $settings = $attributes ? ' ' . wp_json_encode($attributes) : '';
    return "<!-- wp:$name$settings -->\n$html\n<!-- /wp:$name -->";
}

/** The block of an element; null for what stays HTML. */
function postrider_block(array $element)
{
    ['tag' => $tag, 'attributes' => $attributes, 'inner' => $inner, 'html' => $html] = $element;
    if (preg_match('~^h([1-6])$~', $tag, $level) && preg_match('~^(?: id="[^"]*")?$~', $attributes)) {
        return postrider_wrapped('heading', $html, $level[1] === '2' ? [] : ['level' => (int) $level[1]]);
    }
    if ($tag === 'ul' || $tag === 'ol') {
        return postrider_list_block($tag, $attributes, $inner);
    }
    if ($attributes !== '') {
        return null;
    }
    switch ($tag) {
        case 'p':
            return postrider_image_block($inner) ?? postrider_wrapped('paragraph', $html);
        case 'figure':
            return postrider_image_block($inner);
        case 'blockquote':
            return postrider_wrapped('quote', '<blockquote class="wp-block-quote">' . postrider_blocks($inner) . '</blockquote>');
        case 'pre':
            return postrider_code_block($inner);
        case 'hr':
            return postrider_wrapped('separator', '<hr class="wp-block-separator has-alpha-channel-opacity"/>');
        default:
            return null;
    }
}

/** A picture that stands alone, with its caption if it has one; null for anything else. */
function postrider_image_block($inner)
{
    if (!preg_match('~^<img((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*/?>(?:<figcaption>((?:[^<]++|<(?!/?figcaption))*+)</figcaption>)?$~', $inner, $found)) {
        return null;
    }
    preg_match_all('~([a-z-]+)(?:="([^"]*)")?~', $found[1], $pairs);
    $given = array_combine($pairs[1], $pairs[2]);
    if (empty($given['src']) || array_diff_key($given, array_flip(['class', 'src', 'alt', 'title'])) || !preg_match('~^(?:|wp-image-(\d+))$~', $given['class'] ?? '', $id)) {
        return null;
    }
    $class = isset($id[1]) ? "class=\"wp-image-$id[1]\" " : '';
    $title = isset($given['title']) ? " title=\"{$given['title']}\"" : '';
    $image = "<img {$class}src=\"{$given['src']}\" alt=\"" . ($given['alt'] ?? '') . "\"$title/>";
    $caption = isset($found[2]) ? "<figcaption class=\"wp-element-caption\">$found[2]</figcaption>" : '';
    return postrider_wrapped('image', "<figure class=\"wp-block-image\">$image$caption</figure>", isset($id[1]) ? ['id' => (int) $id[1]] : []);
}

/** Blocks of pictures that were copied after they had been written name their copies, too. */
function postrider_name_copies($content)
{
    return preg_replace('~<!-- wp:image -->(\s*<figure class="wp-block-image"><img class="wp-image-(\d+)")~', '<!-- wp:image {"id":$2} -->$1', $content);
}

/** A list, with the lists in it; null if an item is more than text. */
function postrider_list_block($tag, $attributes, $inner)
{
    if (!preg_match('~^(?: start="(\d+)")?$~', $attributes, $start)) {
        return null;
    }
    $items = [];
    foreach (postrider_solid($inner) as ['tag' => $name, 'attributes' => $own, 'inner' => $content]) {
        $nested = preg_match('~<(?:ul|ol)\b.*$~s', $content, $found) ? $found[0] : '';
        $text = substr($content, 0, strlen($content) - strlen($nested));
        $lists = postrider_solid($nested);
        // A list within another element of the item leaves that one's end behind: it is no element then.
        $is_plain = $name === 'li' && $own === '' && preg_match(POSTRIDER_INLINE, $text) && count($lists) < 2;
        if (!$is_plain || ($lists && !in_array($lists[0]['tag'], ['ul', 'ol'], true))) {
            return null;
        }
        $block = $lists ? postrider_list_block($lists[0]['tag'], $lists[0]['attributes'], $lists[0]['inner']) : '';
        if ($block === null) {
            return null;
        }
        $items[] = postrider_wrapped('list-item', "<li>$text$block</li>");
    }
    $settings = ($tag === 'ol' ? ['ordered' => true] : []) + (isset($start[1]) ? ['start' => (int) $start[1]] : []);
    return postrider_wrapped('list', "<$tag$attributes>" . implode("\n\n", $items) . "</$tag>", $settings);
}

/** Code, with the class that highlighters look for on the block; null for anything else. */
function postrider_code_block($inner)
{
    if (!preg_match('~^<code(?: class="(language-[a-z0-9]+)")?>([^<]*)</code>$~', $inner, $found)) {
        return null;
    }
    $class = $found[1] === '' ? '' : " $found[1]";
    return postrider_wrapped('code', "<pre class=\"wp-block-code$class\"><code>$found[2]</code></pre>", $class === '' ? [] : ['className' => $found[1]]);
}
