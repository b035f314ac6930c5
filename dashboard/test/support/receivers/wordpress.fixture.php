<?php
/**
 * As much of WordPress as the plugin uses, with its posts in a file: `php -S ADDRESS wordpress.fixture.php`. What is put in is
 * unslashed as WordPress does it, so that a plugin that forgets to slash loses its backslashes here too.
 */
define('ABSPATH', __DIR__);
define('POSTRIDER_SECRET', getenv('POSTRIDER_SECRET'));

class WP_REST_Request
{
    public function get_body()
    {
        return file_get_contents('php://input');
    }

    public function get_header($name)
    {
        return $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? null;
    }
}

class WP_REST_Response
{
    public function __construct(public $data, public $status)
    {
    }
}

class WP_Error
{
    public function get_error_message()
    {
        return 'It could not be stored.';
    }
}

function store()
{
    return getenv('POSTS_FILE');
}
function all()
{
    return file_exists(store()) ? json_decode(file_get_contents(store()), true) : [];
}
function put($posts)
{
    file_put_contents(store(), json_encode($posts));
}
function slashed($value, $change)
{
    return is_array($value) ? array_map(fn ($one) => slashed($one, $change), $value) : (is_string($value) ? $change($value) : $value);
}
function wp_slash($value)
{
    return slashed($value, 'addslashes');
}
function add_action($hook, $run)
{
    $GLOBALS['actions'][$hook] = $run;
}
function register_rest_route($space, $path, $route)
{
    $GLOBALS['routes']["/wp-json/$space$path"] = $route;
}
function __return_true()
{
    return true;
}
function is_wp_error($value)
{
    return $value instanceof WP_Error;
}
function get_date_from_gmt($date)
{
    return date('Y-m-d H:i:s', strtotime("$date UTC") + 3600); // an hour east
}
function wp_untrash_post_comments($id)
{
}
function kses_remove_filters()
{
    $GLOBALS['kses'] = false;
}
function kses_init()
{
    $GLOBALS['kses'] = true;
}
function get_users($query)
{
    return ['7'];
}
function get_posts($query)
{
    $found = array_filter(all(), fn ($post) => ($post['meta'][$query['meta_key']] ?? null) === $query['meta_value']
        && in_array($post['post_status'], $query['post_status'], true));
    return array_column($found, 'ID');
}
function get_post_status($id)
{
    return all()[$id]['post_status'] ?? false;
}
function get_post_meta($id, $key, $single)
{
    return all()[$id]['meta'][$key] ?? '';
}
function update_post_meta($id, $key, $value)
{
    $posts = all();
    $posts[$id]['meta'][$key] = $value;
    put($posts);
}
function wp_insert_post($fields, $errors)
{
    $fields = slashed($fields, 'stripslashes');
    if (($GLOBALS['kses'] ?? true) && str_contains($fields['post_content'], '<iframe')) {
        $fields['post_content'] = preg_replace('/<iframe.*?<\/iframe>/', '', $fields['post_content']);
    }
    $posts = all();
    $id = $fields['ID'] ?: count($posts) + 1;
    $meta = $fields['meta_input'];
    unset($fields['meta_input']);
    $posts[$id] = array_merge($posts[$id] ?? [], $fields, ['ID' => $id, 'meta' => $meta]);
    put($posts);
    return $id;
}
function wp_update_post($fields, $errors)
{
    return wp_insert_post($fields, $errors);
}
function wp_trash_post($id)
{
    $posts = all();
    $posts[$id]['post_status'] = 'trash';
    put($posts);
}

require getenv('PLUGIN');
$actions['rest_api_init']();
$route = $routes[strtok($_SERVER['REQUEST_URI'], '?')] ?? null;
$is_for_us = $route && $_SERVER['REQUEST_METHOD'] === $route['methods'] && $route['permission_callback']();
$answer = $is_for_us ? $route['callback'](new WP_REST_Request()) : new WP_REST_Response(['message' => 'No route.'], 404);
http_response_code($answer->status);
header('Content-Type: application/json');
echo json_encode($answer->data);
