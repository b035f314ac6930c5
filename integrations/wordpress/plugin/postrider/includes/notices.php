<?php
/** What people who manage the site are told outside the settings page. */

if (!defined('ABSPATH')) {
    exit;
}

function postrider_hook_notices()
{
    add_action('admin_notices', 'postrider_notice_of_connection');
    add_action('admin_notices', 'postrider_notice_in_classic_editor');
    add_action('enqueue_block_editor_assets', 'postrider_notice_in_block_editor');
    add_filter('display_post_states', 'postrider_name_in_list', 10, 2);
}

function postrider_notice_of_connection()
{
    $problem = postrider_connection_problem();
    if ($problem !== '' && current_user_can('manage_options') && get_current_screen()->id !== 'settings_page_postrider') {
        $link = esc_url(admin_url('options-general.php?page=postrider'));
        echo '<div class="notice notice-warning"><p>' . esc_html($problem) . " <a href=\"$link\">Settings → Postrider</a></p></div>";
    }
}

/** What is said about a post with a newer text beside it. */
function postrider_newer_sentence($id)
{
    return 'Postrider has a newer version of “' . wp_specialchars_decode(get_the_title($id), ENT_QUOTES) . '”. This post was edited here, so its title and text were left as they are.';
}

/** The links that choose, as HTML. */
function postrider_choice_links($id)
{
    return '<a class="button" href="' . esc_url(postrider_choice_url($id, 'use')) . '">Use Postrider’s</a> '
        . '<a class="button" href="' . esc_url(postrider_choice_url($id, 'keep')) . '">Keep mine</a>';
}

/** What says in the list of posts where a post comes from. */
function postrider_name_in_list($states, $post)
{
    return get_post_meta($post->ID, '_postrider_id', true) ? $states + ['postrider' => 'Postrider'] : $states;
}

/** The post of Postrider's that is being edited; 0 if it is none. */
function postrider_edited()
{
    $screen = get_current_screen();
    $id = $screen && $screen->base === 'post' ? (int) get_the_ID() : 0;
    return $id && get_post_meta($id, '_postrider_id', true) && current_user_can('edit_post', $id) ? $id : 0;
}

const POSTRIDER_COMES_FROM = 'This post comes from Postrider. If you change its text here, your text stays, and you choose when Postrider has a newer one.';

function postrider_notice_in_classic_editor()
{
    $id = postrider_edited();
    if (!$id) {
        return;
    }
    echo postrider_newer($id)
        ? '<div class="notice notice-warning"><p>' . esc_html(postrider_newer_sentence($id)) . ' ' . postrider_choice_links($id) . '</p></div>'
        : '<div class="notice notice-info"><p>' . esc_html(POSTRIDER_COMES_FROM) . '</p></div>';
}

/** The block editor shows its own notices alone. */
function postrider_notice_in_block_editor()
{
    $id = postrider_edited();
    if (!$id) {
        return;
    }
    $actions = [];
    if (postrider_newer($id)) {
        foreach (['use' => 'Use Postrider’s', 'keep' => 'Keep mine'] as $choice => $label) {
            $actions[] = ['label' => $label, 'url' => wp_specialchars_decode(postrider_choice_url($id, $choice))];
        }
    }
    $kind = $actions ? 'createWarningNotice' : 'createInfoNotice';
    $sentence = wp_json_encode($actions ? postrider_newer_sentence($id) : POSTRIDER_COMES_FROM);
    $options = wp_json_encode(['id' => 'postrider', 'isDismissible' => true, 'actions' => $actions]);
    wp_add_inline_script('wp-edit-post', "wp.domReady(() => wp.data.dispatch('core/notices').$kind($sentence, $options));");
}
