<?php
/**
 * As much of WordPress as the plugin uses, with its posts in a file: `php -S ADDRESS wordpress.fixture.php`. What is put in is
 * unslashed as WordPress does it, so that a plugin that forgets to slash loses its backslashes here too. While there is a file
 * `slow` beside it, posts are not stored, and while there is a file `stuck`, they cannot be moved to the trash.
 */
define('ABSPATH', __DIR__);
define('DB_NAME', 'wordpress');
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

/** The locks of the database, which are waited for a second instead of ten. */
class Database
{
    public $prefix = 'wp_';
    private $held = [];

    public function prepare($sql, $value)
    {
        return str_replace('%s', "'$value'", $sql);
    }

    public function get_var($sql)
    {
        preg_match("/^SELECT (GET|RELEASE)_LOCK\('([^']{1,64})'(?:, 10)?\)$/", $sql, $parts);
        [, $verb, $name] = $parts;
        if ($verb === 'RELEASE') {
            unset($this->held[$name]);
            return '1';
        }
        $this->held[$name] = fopen(dirname(store()) . '/' . md5($name) . '.lock', 'c');
        for ($tries = 0; $tries < 100; $tries += 1) {
            if (flock($this->held[$name], LOCK_EX | LOCK_NB)) {
                return '1';
            }
            usleep(10000);
        }
        return '0';
    }

    public function query($sql)
    {
        return $this->get_var($sql);
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
function wp_cache_delete($id, $group)
{
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
function delete_post_meta($id, $key)
{
    $posts = all();
    unset($posts[$id]['meta'][$key]);
    put($posts);
}
function wp_insert_post($fields, $errors)
{
    while (file_exists(dirname(store()) . '/slow')) {
        touch(dirname(store()) . '/waiting');
        usleep(10000);
        clearstatcache();
    }
    $fields = slashed($fields, 'stripslashes');
    if (($GLOBALS['kses'] ?? true) && str_contains($fields['post_content'], '<iframe')) {
        $fields['post_content'] = preg_replace('/<iframe.*?<\/iframe>/', '', $fields['post_content']);
    }
    $posts = all();
    $id = $fields['ID'] ?: count($posts) + 1;
    $before = $posts[$id]['meta'] ?? [];
    $fields['post_name'] = $before['_wp_desired_post_slug'] ?? $fields['post_name'];
    unset($before['_wp_desired_post_slug']);
    $meta = array_merge($before, $fields['meta_input']);
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
    if (file_exists(dirname(store()) . '/stuck')) {
        return false;
    }
    $posts = all();
    $posts[$id]['post_status'] = 'trash';
    $posts[$id]['meta']['_wp_desired_post_slug'] = $posts[$id]['post_name'];
    $posts[$id]['meta']['_wp_trash_meta_time'] = time(); // by which it is erased a month later
    put($posts);
    return $posts[$id];
}

$wpdb = new Database();
require getenv('PLUGIN');
$actions['rest_api_init']();
$route = $routes[strtok($_SERVER['REQUEST_URI'], '?')] ?? null;
$is_for_us = $route && $_SERVER['REQUEST_METHOD'] === $route['methods'] && $route['permission_callback']();
$answer = $is_for_us ? $route['callback'](new WP_REST_Request()) : new WP_REST_Response(['message' => 'No route.'], 404);
http_response_code($answer->status);
header('Content-Type: application/json');
echo json_encode($answer->data);
