<?php
/**
 * What search engines and social networks read: the post's `meta`. Yoast SEO and Rank Math read their own fields of the post, where it is
 * written unless somebody changed it there; All in One SEO gets it through its filter where its own field is empty; without any of
 * them the plugin prints it itself.
 */

if (!defined('ABSPATH')) {
    exit;
}

/** The fields of the SEO plugins that are active: our name => theirs. */
function postrider_seo_fields()
{
    if (defined('WPSEO_VERSION')) {
        return [
            'title' => '_yoast_wpseo_title',
            'description' => '_yoast_wpseo_metadesc',
            'canonical_url' => '_yoast_wpseo_canonical',
            'og_image' => '_yoast_wpseo_opengraph-image',
            'og_image_id' => '_yoast_wpseo_opengraph-image-id',
        ];
    }
    if (defined('RANK_MATH_VERSION')) {
        return [
            'title' => 'rank_math_title',
            'description' => 'rank_math_description',
            'canonical_url' => 'rank_math_canonical_url',
            'og_image' => 'rank_math_facebook_image',
            'og_image_id' => 'rank_math_facebook_image_id',
        ];
    }
    return [];
}

/** What Postrider gives of it: those of `title`, `description`, `canonical_url` and `og_image` that are set. */
function postrider_seo_given(array $post)
{
    return array_filter(array_intersect_key($post['meta'], array_flip(['title', 'description', 'canonical_url', 'og_image'])));
}

/** The post's fields of metadata to write: ours, and those of the SEO plugin that nobody changed. */
function postrider_seo_meta($id, array $post, $picture)
{
    $seo = postrider_seo_given($post);
    $values = $seo + ['title' => '', 'description' => '', 'canonical_url' => '', 'og_image' => '', 'og_image_id' => ''];
    if ($picture) {
        $values['og_image'] = (string) wp_get_attachment_url($picture);
        $values['og_image_id'] = (string) $picture;
    }
    $noted = postrider_note($id)['seo'] ?? [];
    $meta = ['_postrider_seo' => $seo];
    foreach (postrider_seo_fields() as $name => $field) {
        $now = $id ? (string) get_post_meta($id, $field, true) : '';
        if ($now === ($noted[$field] ?? '') && $now !== $values[$name]) {
            $meta[$field] = $values[$name];
        }
    }
    return $meta;
}

/** What Postrider wrote last into each field of the SEO plugin, once `$meta` was written. */
function postrider_seo_note($id, array $meta)
{
    return array_intersect_key($meta, array_flip(postrider_seo_fields())) + (postrider_note($id)['seo'] ?? []);
}

/** The `meta` of Postrider's post: `title`, `description`, `canonical_url` and `og_image`, those that it has. */
function postrider_seo_of($id)
{
    $seo = get_post_meta($id, '_postrider_seo', true);
    return is_array($seo) ? $seo : [];
}

function postrider_hook_seo()
{
    add_action('wp_head', 'postrider_print_head', 5);
    add_filter('pre_get_document_title', 'postrider_document_title', 20);
    add_filter('get_canonical_url', 'postrider_canonical_url', 10, 2);
    add_filter('aioseo_get_post', 'postrider_fill_aioseo');
}

/** Whether the plugin has to print it itself. */
function postrider_prints_seo()
{
    return !postrider_seo_fields() && !defined('AIOSEO_VERSION') && !defined('SEOPRESS_VERSION') && !defined('THE_SEO_FRAMEWORK_VERSION');
}

/** By the first two lines Postrider recognises the page of the post, and its version. Pictures are not wider than the text, unless the theme wants that. */
function postrider_print_head()
{
    $id = is_singular('post') ? get_queried_object_id() : 0;
    $postrider_id = $id ? get_post_meta($id, '_postrider_id', true) : '';
    if (!$postrider_id) {
        return;
    }
    echo '<meta name="postrider-post" content="' . esc_attr($postrider_id) . "\">\n";
    echo '<meta name="postrider-version" content="' . postrider_shown_version($id) . "\">\n";
    echo "<style>:where(.wp-block-post-content, .entry-content) img { max-width: 100%; height: auto }</style>\n";
    if (!postrider_prints_seo()) {
        return;
    }
    $seo = postrider_seo_of($id);
    $description = $seo['description'] ?? get_post($id)->post_excerpt;
    $picture = get_the_post_thumbnail_url($id, 'full') ?: ($seo['og_image'] ?? '');
    if ($description !== '') {
        echo '<meta name="description" content="' . esc_attr($description) . "\">\n";
    }
    $properties = [
        'og:type' => 'article',
        'og:title' => $seo['title'] ?? wp_strip_all_tags(get_the_title($id)),
        'og:description' => $description,
        'og:url' => (string) wp_get_canonical_url($id),
        'og:image' => $picture,
    ];
    foreach (array_filter($properties) as $property => $content) {
        echo '<meta property="' . esc_attr($property) . '" content="' . esc_attr(wp_specialchars_decode($content, ENT_QUOTES)) . "\">\n";
    }
}

/** The title for search engines, as the whole title of the page. */
function postrider_document_title($title)
{
    $own = postrider_prints_seo() && is_singular('post') ? postrider_seo_of(get_queried_object_id())['title'] ?? '' : '';
    return $own === '' ? $title : esc_html($own);
}

function postrider_canonical_url($url, $post)
{
    return postrider_seo_of($post->ID)['canonical_url'] ?? $url;
}

/** All in One SEO has a table of its own; this fills what its owner left empty, for pages of visitors alone: what an editor is given is stored. */
function postrider_fill_aioseo($entry)
{
    $seo = is_object($entry) && !empty($entry->post_id) && !is_admin() && did_action('wp') ? postrider_seo_of($entry->post_id) : [];
    foreach (['title', 'description', 'canonical_url'] as $name) {
        if (isset($seo[$name]) && empty($entry->$name)) {
            $entry->$name = $seo[$name];
        }
    }
    if (isset($seo['og_image']) && empty($entry->og_image_custom_url)) {
        $entry->og_image_type = 'custom_image';
        $entry->og_image_custom_url = get_the_post_thumbnail_url($entry->post_id, 'full') ?: $seo['og_image'];
    }
    return $entry;
}
