<?php
/** The page Settings → Postrider. */

if (!defined('ABSPATH')) {
    exit;
}

function postrider_hook_settings()
{
    add_action('admin_menu', function () {
        add_options_page('Postrider', 'Postrider', 'manage_options', 'postrider', 'postrider_settings_page');
    });
    add_action('admin_init', function () {
        register_setting('postrider', 'postrider_settings', ['sanitize_callback' => 'postrider_checked_settings']);
    });
    add_action('admin_post_postrider_disconnect', 'postrider_disconnect');
    add_action('admin_post_postrider_fetch', 'postrider_fetch');
    add_action('admin_post_postrider_readmit', 'postrider_readmit');
    add_action('wp_ajax_postrider_catch_up', 'postrider_answer_progress');
    add_filter('plugin_action_links_postrider/postrider.php', function ($links) {
        return array_merge(['<a href="' . esc_url(postrider_settings_url()) . '">Settings</a>'], $links);
    });
}

function postrider_settings_url()
{
    return admin_url('options-general.php?page=postrider');
}

/** What is to be kept of the form. A code that is not one changes nothing; an empty field keeps the code that is there. */
function postrider_checked_settings($given)
{
    $settings = ['category' => (int) ($given['category'] ?? 0), 'author' => (int) ($given['author'] ?? 0)];
    $code = preg_replace('/\s+/', '', (string) ($given['connection'] ?? ''));
    $kept = (string) postrider_setting('connection');
    if ($code !== '' && !postrider_parse_connection($code)) {
        add_settings_error('postrider', 'code', 'This is not a whole connection code. Copy all of it, from prc_ on, from the site’s page in Postrider.');
        $code = '';
    } elseif ($code !== '' && $code !== $kept) {
        static $said = false; // WordPress checks twice what it never had before
        postrider_forget_other_site(postrider_parse_connection($code));
        if (!$said) {
            add_settings_error('postrider', 'saved', 'The connection code is saved.', 'success');
        }
        $said = true;
    }
    return $settings + ['connection' => $code === '' ? $kept : $code];
}

/** How far this site has followed one service says nothing about another. Keys that were renewed are no other site. */
function postrider_forget_other_site(array $connection)
{
    $before = postrider_connection();
    if (!$before || $before['url'] !== $connection['url'] || $before['site'] !== $connection['site']) {
        delete_option('postrider_catch_up');
    }
}

/** Ends a request of the settings page's buttons that is not allowed. */
function postrider_allow_managers($action)
{
    check_admin_referer($action);
    if (!current_user_can('manage_options')) {
        wp_die('You are not allowed to manage this site.', '', ['response' => 403]);
    }
}

function postrider_disconnect()
{
    postrider_allow_managers('postrider_disconnect');
    update_option('postrider_settings', ['connection' => ''] + (array) get_option('postrider_settings', []));
    wp_safe_redirect(postrider_settings_url());
    exit;
}

function postrider_fetch()
{
    postrider_allow_managers('postrider_fetch');
    if (postrider_progress()['state'] !== 'running') {
        postrider_begin_catch_up();
    }
    wp_safe_redirect(postrider_settings_url() . '#postrider-earlier');
    exit;
}

/** Forgets which posts were deleted here, so that their next version brings them back. */
function postrider_readmit()
{
    postrider_allow_managers('postrider_readmit');
    delete_option('postrider_dismissed');
    wp_safe_redirect(postrider_settings_url());
    exit;
}

/** The open page asks for one batch at a time, and shows how far it is. */
function postrider_answer_progress()
{
    postrider_allow_managers('postrider_catch_up');
    $progress = postrider_catch_up_step();
    wp_send_json(['running' => $progress['state'] === 'running', 'waiting' => $progress['until'] > time(), 'sentence' => postrider_progress_sentence($progress)]);
}

function postrider_progress_sentence(array $progress)
{
    if ($progress['state'] === 'done') {
        return 'Everything is here, since ' . postrider_when($progress['at']) . '. This site looks every hour for what it has missed.'
            . ($progress['failed'] ? " {$progress['failed']} posts could not be stored; see above what failed last." : '');
    }
    $posts = number_format_i18n($progress['done']) . ($progress['total'] ? ' of ' . number_format_i18n($progress['total']) : '') . ' posts';
    $failed = $progress['failed'] ? " {$progress['failed']} could not be stored; see above what failed last." : '';
    switch ($progress['state']) {
        case 'running':
            return "Fetching: $posts so far.$failed {$progress['message']}";
        case 'failed':
            return "It stopped after $posts: {$progress['message']}";
        default:
            return 'Posts that were published before this site was connected can be fetched here.';
    }
}

function postrider_settings_page()
{
    $connection = postrider_connection();
    echo '<div class="wrap"><h1>Postrider</h1>';
    postrider_section_state($connection);
    postrider_section_newer();
    postrider_section_form($connection);
    if ($connection) {
        postrider_section_earlier();
    }
    echo '</div>';
}

function postrider_section_state($connection)
{
    if (!$connection) {
        echo '<div class="notice notice-warning inline"><p>' . esc_html(postrider_connection_problem()) . '</p></div>';
    } else {
        $answer = postrider_ask('/api/pull/digest', null, 5); // somebody waits for the page
        $problem = $answer['status'] === 200 ? '' : postrider_said($answer);
        echo $problem === ''
            ? '<div class="notice notice-success inline"><p>Connected to ' . esc_html($connection['url']) . '.</p></div>'
            : '<div class="notice notice-error inline"><p>' . esc_html($problem) . '</p></div>';
    }
    $event = get_option('postrider_last_event');
    $failure = get_option('postrider_last_failure');
    $rows = [
        'Webhook address' => '<code style="overflow-wrap:anywhere">' . esc_html(rest_url('postrider/v1/webhook')) . '</code>',
        'Came last' => esc_html($event ? postrider_when($event['at']) . ': ' . postrider_event_words($event) : 'Nothing yet. Send a test from the site’s page in Postrider.'),
        'Failed last' => esc_html($failure ? postrider_when($failure['at']) . ': ' . $failure['message'] . ($event && $event['at'] > $failure['at'] ? ' Deliveries have arrived since.' : '') : 'Nothing.'),
    ];
    echo '<table class="form-table" role="presentation">';
    foreach ($rows as $name => $value) {
        echo '<tr><th scope="row">' . esc_html($name) . "</th><td>$value</td></tr>";
    }
    echo '</table>';
}

/** What came, for people. */
function postrider_event_words(array $event)
{
    $words = ['post.published' => 'was published', 'post.updated' => 'was changed', 'post.deleted' => 'was removed'];
    return isset($words[$event['event']]) ? "“{$event['title']}” {$words[$event['event']]}." : 'A test.';
}

function postrider_when($time)
{
    return wp_date(get_option('date_format') . ' ' . get_option('time_format'), $time);
}

/** The texts that wait for a choice. */
function postrider_section_newer()
{
    foreach (postrider_posts_with_newer() as $id) {
        echo '<div class="notice notice-warning inline"><p>' . esc_html(postrider_newer_sentence($id)) . ' <a href="' . esc_url(get_edit_post_link($id, 'url')) . '">Look at the post</a> ' . postrider_choice_links($id) . '</p></div>';
    }
}

function postrider_section_form($connection)
{
    echo '<form method="post" action="options.php"><table class="form-table" role="presentation">';
    settings_fields('postrider');
    echo '<tr><th scope="row"><label for="postrider-connection">Connection code</label></th><td>';
    if (defined('POSTRIDER_CONNECTION')) {
        echo '<p>It is in <code>wp-config.php</code>, as <code>POSTRIDER_CONNECTION</code>.</p>';
    } else {
        echo '<input type="password" class="large-text code" id="postrider-connection" name="postrider_settings[connection]" autocomplete="off" placeholder="' . ($connection ? 'Connected. Paste another code to replace it.' : 'prc_…') . '">';
        echo '<p class="description">From the site’s page in Postrider. It is a secret: who has it can write to this site.</p>';
    }
    echo '</td></tr><tr><th scope="row"><label for="postrider-category">Category of new posts</label></th><td>';
    wp_dropdown_categories(['name' => 'postrider_settings[category]', 'id' => 'postrider-category', 'hide_empty' => false, 'hierarchical' => true, 'selected' => (int) postrider_setting('category'), 'show_option_none' => 'The site’s default', 'option_none_value' => '0']);
    echo '</td></tr><tr><th scope="row"><label for="postrider-author">Author of new posts</label></th><td>';
    wp_dropdown_users(['name' => 'postrider_settings[author]', 'id' => 'postrider-author', 'capability' => ['edit_posts'], 'selected' => postrider_choices()['post_author']]);
    echo '<p class="description">What you change in a post itself stays as you made it.</p></td></tr></table>';
    submit_button();
    echo '</form>';
    if ($connection && !defined('POSTRIDER_CONNECTION')) {
        postrider_button('postrider_disconnect', 'Disconnect');
    }
}

/** The earlier posts, and those that were deleted here. */
function postrider_section_earlier()
{
    $progress = postrider_progress();
    echo '<h2 id="postrider-earlier">Earlier posts</h2><p id="postrider-progress" role="status">' . esc_html(postrider_progress_sentence($progress)) . '</p>';
    if ($progress['state'] === 'running') {
        postrider_progress_script();
    } else {
        postrider_button('postrider_fetch', 'Fetch earlier posts');
    }
    $dismissed = count(postrider_dismissed());
    if ($dismissed) {
        echo '<p>' . esc_html($dismissed === 1 ? 'One post that you deleted here stays deleted when Postrider changes it.' : "$dismissed posts that you deleted here stay deleted when Postrider changes them.") . '</p>';
        postrider_button('postrider_readmit', 'Let them come back');
    }
}

function postrider_button($action, $label)
{
    echo '<form method="post" action="' . esc_url(admin_url('admin-post.php')) . '"><input type="hidden" name="action" value="' . esc_attr($action) . '">';
    wp_nonce_field($action);
    submit_button($label, 'secondary', 'submit', false);
    echo '</form>';
}

/** Asks for batch after batch while the page is open. */
function postrider_progress_script()
{
    $url = wp_json_encode(add_query_arg(['action' => 'postrider_catch_up', '_wpnonce' => wp_create_nonce('postrider_catch_up')], admin_url('admin-ajax.php')));
    echo "<script>
(async () => {
  const shown = document.getElementById('postrider-progress')
  for (;;) {
    const answer = await fetch($url, { method: 'POST' }).then((response) => response.json()).catch(() => ({ running: true, waiting: true }))
    if (answer.sentence) shown.textContent = answer.sentence
    if (!answer.running) return location.reload()
    await new Promise((resolve) => setTimeout(resolve, answer.waiting ? 5000 : 200))
  }
})()
</script>";
}
