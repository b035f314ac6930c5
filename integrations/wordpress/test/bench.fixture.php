<?php
/**
 * As much of WordPress as a webhook uses, with its posts and options in files: `php -S ADDRESS bench.fixture.php`. What is put in is unslashed as
 * WordPress does it, so that a plugin that forgets to slash loses its backslashes here too. `/?p=ID` answers with the head of a post's
 * page. While there is a file `slow` beside the posts, they are not stored, and while there is a file `stuck`, they cannot be moved to the
 * trash. The real WordPress is in `real.ts`.
 */
define('ABSPATH', __DIR__);
define('DB_NAME', 'wordpress');
if (getenv('POSTRIDER_CONNECTION')) {
    define('POSTRIDER_CONNECTION', getenv('POSTRIDER_CONNECTION'));
}
if (getenv('SEO_PLUGIN')) {
    define(getenv('SEO_PLUGIN'), '1');
}

class WP_REST_Request
{
    public function get_route()
    {
        return preg_replace('#^/wp-json#', '', strtok($_SERVER['REQUEST_URI'], '?'));
    }

    public function get_method()
    {
        return $_SERVER['REQUEST_METHOD'];
    }

    public function get_body()
    {
        return file_get_contents('php://input');
    }

    public function get_header($name)
    {
        $name = strtoupper(strtr($name, '-', '_'));
        return $_SERVER["HTTP_$name"] ?? $_SERVER[$name] ?? null;
    }
}

class WP_REST_Response
{
    public $data;
    public $status;

    public function __construct($data, $status)
    {
        [$this->data, $this->status] = [$data, $status];
    }
}

class WP_Error
{
    private $message;

    public function __construct($message)
    {
        $this->message = $message;
    }

    public function get_error_message()
    {
        return $this->message;
    }
}

/** The locks of the database, which are waited for a second, and the option that the probe reads. There are no pictures here. */
class Database
{
    public $prefix = 'wp_';
    public $options = 'wp_options';
    public $posts = 'wp_posts';
    public $postmeta = 'wp_postmeta';
    public $last_error = '';
    private $held = [];
    private $before = [];

    public function prepare($sql, ...$values)
    {
        return vsprintf(str_replace('%s', "'%s'", $sql), $values);
    }

    public function get_var($sql)
    {
        if (strpos($sql, 'postrider_probe') !== false) {
            return get_option('postrider_probe');
        }
        if (!preg_match("/^SELECT (GET|RELEASE)_LOCK\('([^']{1,64})'(?:, \d+)?\)$/", $sql, $parts)) {
            return null;
        }
        [, $verb, $name] = $parts;
        if ($verb === 'RELEASE') {
            unset($this->held[$name]);
            return '1';
        }
        $this->held[$name] = fopen(dirname(posts_file()) . '/' . md5($name) . '.lock', 'c');
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
        if ($sql === 'START TRANSACTION') {
            $this->before = posts();
        }
        if ($sql === 'ROLLBACK') {
            put($this->before);
        }
        return $this->get_var($sql);
    }

    public function get_results($sql)
    {
        $kept = array_filter(posts(), fn ($post) => $post['post_status'] !== 'trash');
        return array_map(fn ($post) => (object) ['id' => $post['meta']['_postrider_id'], 'version' => $post['meta']['_postrider_version']], array_values($kept));
    }
}

function posts_file()
{
    return getenv('POSTS_FILE');
}
function stored($file)
{
    return file_exists($file) ? json_decode(file_get_contents($file), true) : [];
}
function posts()
{
    return stored(posts_file());
}
function put($posts)
{
    file_put_contents(posts_file(), json_encode($posts));
}
function change_meta($id, $change)
{
    $posts = posts();
    $posts[$id]['meta'] = $change($posts[$id]['meta'] ?? []);
    put($posts);
}
function slashed($value, $change)
{
    return is_array($value) ? array_map(fn ($one) => slashed($one, $change), $value) : (is_string($value) ? $change($value) : $value);
}
function wp_slash($value)
{
    return slashed($value, 'addslashes');
}

function get_option($name, $default = false)
{
    return stored(posts_file() . '.options')[$name] ?? $default;
}
function update_option($name, $value, $autoload = null)
{
    file_put_contents(posts_file() . '.options', json_encode([$name => $value] + stored(posts_file() . '.options')));
}
function add_option($name, $value, $deprecated, $autoload)
{
    update_option($name, file_exists(dirname(posts_file()) . '/readonly') ? null : $value);
}
function delete_option($name)
{
    update_option($name, null);
}

function add_action($hook, $run, $priority = 10, $arguments = 1)
{
    $GLOBALS['hooks'][$hook][] = $run;
}
function add_filter($hook, $run, $priority = 10, $arguments = 1)
{
    add_action($hook, $run);
}
function run_hook($hook, ...$given)
{
    foreach ($GLOBALS['hooks'][$hook] ?? [] as $run) {
        $given[0] = $run(...$given);
    }
    return $given[0] ?? null;
}
function register_activation_hook($file, $run)
{
}
function register_deactivation_hook($file, $run)
{
}
function register_rest_route($space, $path, $route)
{
    $GLOBALS['routes']["/$space$path"] = $route;
}
function __return_true()
{
    return true;
}
function did_action($hook)
{
    return 1;
}
function is_admin()
{
    return false;
}
function is_wp_error($value)
{
    return $value instanceof WP_Error;
}
function wp_schedule_single_event($time, $hook, $arguments = [])
{
}
function wp_schedule_event($time, $recurrence, $hook)
{
}
function wp_next_scheduled($hook)
{
    return false;
}
function wp_date($format, $time)
{
    return gmdate($format, $time);
}
function wp_json_encode($value)
{
    return json_encode($value);
}
function untrailingslashit($text)
{
    return rtrim($text, '/');
}
function wp_remote_request($url, $options)
{
    $headers = array_map(fn ($name, $value) => "$name: $value", array_keys($options['headers']), $options['headers']);
    $http = ['method' => $options['method'], 'header' => $headers, 'content' => (string) $options['body'], 'timeout' => $options['timeout'], 'ignore_errors' => true];
    $body = @file_get_contents($url, false, stream_context_create(['http' => $http]));
    return $body === false ? new WP_Error('Connection refused') : ['body' => $body, 'headers' => $http_response_header];
}
function wp_remote_retrieve_response_code($answer)
{
    return explode(' ', $answer['headers'][0])[1];
}
function wp_remote_retrieve_body($answer)
{
    return $answer['body'];
}
function wp_remote_retrieve_header($answer, $name)
{
    return preg_replace('/^.*?: /', '', current(preg_grep("/^$name:/i", $answer['headers'])) ?: '');
}

function get_date_from_gmt($date)
{
    return date('Y-m-d H:i:s', strtotime("$date UTC") + 3600); // an hour east
}
function home_url()
{
    return 'https://kitchen.example';
}
function get_permalink($id)
{
    return home_url() . '/' . posts()[$id]['post_name'] . '/';
}
function wp_get_canonical_url($id)
{
    return run_hook('get_canonical_url', get_permalink($id), get_post($id));
}
function trailingslashit($text)
{
    return rtrim($text, '/') . '/';
}
function wp_parse_url($url, $part = -1)
{
    return parse_url($url, $part);
}
function esc_attr($text)
{
    return htmlspecialchars($text, ENT_QUOTES, 'UTF-8', false);
}
function esc_html($text)
{
    return esc_attr($text);
}
function wp_specialchars_decode($text, $quotes)
{
    return htmlspecialchars_decode($text, $quotes);
}
function wp_strip_all_tags($text)
{
    return strip_tags($text);
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
function get_userdata($id)
{
    return $id === 9 ? (object) ['ID' => 9] : false;
}
function term_exists($id, $taxonomy)
{
    return $id === 5;
}
function get_post_stati()
{
    return array_fill_keys(['publish', 'future', 'draft', 'pending', 'private', 'trash'], true);
}
function get_posts($query)
{
    $found = array_filter(posts(), fn ($post) => ($post['meta'][$query['meta_key']] ?? null) === $query['meta_value']
        && in_array($post['post_status'], $query['post_status'], true));
    return array_column($found, 'ID');
}
function get_post($id)
{
    return (object) posts()[$id];
}
function get_post_status($id)
{
    return posts()[$id]['post_status'] ?? false;
}
function get_the_title($id)
{
    return posts()[$id]['post_title'];
}
function wp_get_post_terms($id, $taxonomy, $query)
{
    return posts()[$id]['tags_input'] ?? [];
}
function get_post_thumbnail_id($id)
{
    return get_post_meta($id, '_thumbnail_id', true);
}
function get_the_post_thumbnail_url($id, $size)
{
    return false;
}
function delete_post_thumbnail($id)
{
    delete_post_meta($id, '_thumbnail_id');
}
function get_post_meta($id, $key, $single)
{
    return posts()[$id]['meta'][$key] ?? '';
}
function update_post_meta($id, $key, $value)
{
    change_meta($id, fn ($meta) => [$key => slashed($value, 'stripslashes')] + $meta);
}
function delete_post_meta($id, $key)
{
    change_meta($id, fn ($meta) => array_diff_key($meta, [$key => true]));
}
function wp_insert_post($fields, $errors)
{
    while (file_exists(dirname(posts_file()) . '/slow')) {
        touch(dirname(posts_file()) . '/waiting');
        usleep(10000);
        clearstatcache();
    }
    $fields = slashed($fields, 'stripslashes');
    if (($GLOBALS['kses'] ?? true) && isset($fields['post_content'])) {
        $fields['post_content'] = preg_replace('/<iframe.*?<\/iframe>/', '', $fields['post_content']);
    }
    $posts = posts();
    $id = $fields['ID'] ?: count($posts) + 1;
    $before = $posts[$id]['meta'] ?? [];
    if (isset($before['_wp_desired_post_slug']) && $fields['post_status'] !== 'trash') {
        $fields['post_name'] = $before['_wp_desired_post_slug'];
        unset($before['_wp_desired_post_slug']);
    }
    if (file_exists(dirname(posts_file()) . '/breaks')) {
        $posts[$id] = ['ID' => $id] + $fields;
        put($posts);
        throw new Exception('The database has gone away.');
    }
    $meta = array_merge($before, $fields['meta_input'] ?? []);
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
    if (file_exists(dirname(posts_file()) . '/stuck')) {
        return false;
    }
    $posts = posts();
    $posts[$id]['post_status'] = 'trash';
    $posts[$id]['meta']['_wp_desired_post_slug'] = $posts[$id]['post_name'];
    $posts[$id]['meta']['_wp_trash_meta_time'] = time(); // by which it is erased a month later
    $posts[$id]['post_name'] .= '__trashed';
    put($posts);
    return $posts[$id];
}

function is_singular($type)
{
    return get_queried_object_id() !== 0;
}
function get_queried_object_id()
{
    return (int) ($_GET['p'] ?? 0);
}

const HOUR_IN_SECONDS = 3600;
$wpdb = new Database();
require dirname(__DIR__) . '/plugin/postrider/postrider.php';
run_hook('rest_api_init', null);
if (get_queried_object_id()) {
    echo '<title>' . run_hook('pre_get_document_title', '') . "</title>\n";
    run_hook('wp_head', null);
    if (defined('AIOSEO_VERSION')) { // it prints what its own table has, once others had their say
        $entry = run_hook('aioseo_get_post', (object) ['post_id' => get_queried_object_id(), 'title' => getenv('AIOSEO_TITLE') ?: null]);
        echo "<title>$entry->title</title>\n<link rel=\"canonical\" href=\"" . ($entry->canonical_url ?? '') . "\">\n";
    }
    return;
}
if (isset($_GET['catch-up'])) {
    // What the settings page and WP-Cron do: begin, and go on by a batch.
    $_GET['catch-up'] === 'begin' ? postrider_begin_catch_up($_GET['cursor'] ?? '') : postrider_catch_up_step();
    echo json_encode(postrider_progress());
    return;
}
$request = new WP_REST_Request();
$route = $routes[$request->get_route()] ?? null;
$is_for_us = $route && $request->get_method() === $route['methods'] && $route['permission_callback']();
$answer = run_hook('rest_pre_dispatch', null, null, $request)
    ?? ($is_for_us ? $route['callback']($request) : new WP_REST_Response(['message' => 'No route.'], 404));
http_response_code($answer->status);
header('Content-Type: application/json');
echo json_encode($answer->data);
