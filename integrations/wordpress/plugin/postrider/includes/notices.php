<?php
/** What people who manage the site are told outside the settings page. */

if (!defined('ABSPATH')) {
    exit;
}

function postrider_hook_notices()
{
    add_action('admin_notices', 'postrider_notice_of_connection');
    add_action('admin_notices', 'postrider_notice_of_newer');
    add_action('enqueue_block_editor_assets', 'postrider_notice_in_editor');
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

/** The post that is being edited and has a newer text beside it; 0 otherwise. */
function postrider_edited_with_newer()
{
    $screen = get_current_screen();
    $id = $screen && $screen->base === 'post' ? (int) get_the_ID() : 0;
    return postrider_newer($id) && current_user_can('edit_post', $id) ? $id : 0;
}

/** For the classic editor. */
function postrider_notice_of_newer()
{
    $id = postrider_edited_with_newer();
    if ($id) {
        echo '<div class="notice notice-warning"><p>' . esc_html(postrider_newer_sentence($id)) . ' ' . postrider_choice_links($id) . '</p></div>';
    }
}

/** The block editor shows its own notices alone. */
function postrider_notice_in_editor()
{
    $id = postrider_edited_with_newer();
    if (!$id) {
        return;
    }
    $actions = [];
    foreach (['use' => 'Use Postrider’s', 'keep' => 'Keep mine'] as $choice => $label) {
        $actions[] = ['label' => $label, 'url' => wp_specialchars_decode(postrider_choice_url($id, $choice))];
    }
    $options = wp_json_encode(['id' => 'postrider-newer', 'isDismissible' => true, 'actions' => $actions]);
    $sentence = wp_json_encode(postrider_newer_sentence($id));
    wp_add_inline_script('wp-edit-post', "wp.domReady(() => wp.data.dispatch('core/notices').createWarningNotice($sentence, $options));");
}
