<?php
/**
 * Plugin Name: Postrider
 * Description: Receives posts from Postrider and keeps them as posts of this site. What you change here yourself stays as you made it.
 * Version: 0.2.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * License: MIT
 * License URI: https://opensource.org/license/mit
 * Text Domain: postrider
 */

if (!defined('ABSPATH')) {
    exit;
}

// The receiver of one file that Postrider used to hand out has functions of the same names.
if (function_exists('postrider_receive')) {
    add_action('admin_notices', function () {
        echo '<div class="notice notice-error"><p>Postrider is installed twice. Deactivate the older plugin, which is the file <code>postrider.php</code> in <code>wp-content/plugins</code>; its posts stay.</p></div>';
    });
    return;
}

foreach (['connection', 'verify', 'lock', 'record', 'receive', 'owner', 'blocks', 'keep', 'remove', 'pictures', 'seo', 'service', 'preview', 'catch-up', 'newer', 'notices', 'settings'] as $postrider_part) {
    require_once __DIR__ . "/includes/$postrider_part.php";
}
unset($postrider_part);

add_action('rest_api_init', 'postrider_register_webhook');
add_filter('rest_pre_dispatch', 'postrider_refuse_large', 10, 3);
add_action('before_delete_post', 'postrider_remember_deletion');
add_action('untrashed_post', 'postrider_forget_removal');
add_action('postrider_pictures', 'postrider_copy_rest', 10, 2);
add_action('postrider_catch_up', 'postrider_catch_up');
add_action('postrider_stay_level', 'postrider_stay_level');
postrider_hook_seo();
postrider_hook_preview();
if (is_admin()) {
    postrider_hook_settings();
    postrider_hook_newer();
    postrider_hook_notices();
}

register_activation_hook(__FILE__, 'postrider_schedule_level');
register_deactivation_hook(__FILE__, function () {
    foreach (['postrider_pictures', 'postrider_catch_up', 'postrider_stay_level'] as $hook) {
        wp_unschedule_hook($hook);
    }
});
