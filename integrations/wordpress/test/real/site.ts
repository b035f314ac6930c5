/**
 * A real WordPress for tests, of Debian's packages: MariaDB, php-fpm and nginx on a scratch directory, set up through its own installer
 * and changed through its own forms. Root runs PHP as www-data, whom a read-only folder stops.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, until } from '../../../real/stage.ts'
import { type Browser, createBrowser, formOf } from './browser.ts'

const run = promisify(execFile)
const DEBIAN_WORDPRESS = '/usr/share/wordpress'
export const ADMIN = { user: 'owner', password: 'correct horse battery' }
const isRoot = process.getuid?.() === 0
const SHUT_DOWN_MS = 20_000

/** A running site. */
export type Site = {
  url: string
  dir: string
  /** The browser of somebody who is signed in as administrator. */
  owner: Browser
  /** The rows of a statement, their columns as text. */
  query(sql: string): Promise<string[][]>
  /** Calls WordPress's own REST API as the owner, as the editor does. */
  api<Answer = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Answer>
  /** Has WP-Cron do what is due; it goes on after the answer. */
  cron(): Promise<void>
  /** Stops everything but the files, and starts it again. */
  restart(): Promise<void>
  /** A folder with all folders in it. */
  folders(path: string): Promise<string[]>
  /** What PHP logged about the plugin. */
  complaints(): Promise<string>
  /** What it is made of. */
  versions(): Promise<Record<string, string>>
  stop(): Promise<void>
}

/** Starts an empty WordPress. `pictureHost` is a host of this machine whose pictures it may fetch: WordPress refuses local ones. */
export async function startWordPress(pictureHost: string): Promise<Site> {
  const dir = await mkdtemp(join(tmpdir(), 'postrider-wordpress-'))
  await chmod(dir, 0o755)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await copyWordPress(dir, url, pictureHost)
  await writeServers(dir, port)
  await run('mariadb-install-db', [
    '--no-defaults',
    `--datadir=${dir}/db`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    ...(isRoot ? ['--user=mysql'] : []),
  ])
  const query = async (sql: string, database = ['wordpress']) => {
    const { stdout } = await run(
      'mariadb',
      ['--no-defaults', `--socket=${dir}/run/db.sock`, '-uroot', '-N', '-B', ...database, '-e', sql],
      {
        maxBuffer: 64 * 1024 * 1024,
      },
    )
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t'))
  }
  let servers = await startServers(dir, url, () => query('SELECT 1', []))
  await query('CREATE DATABASE wordpress CHARACTER SET utf8mb4', [])
  const owner = createBrowser(url)
  await install(owner)
  const site: Site = {
    url,
    dir,
    owner,
    query,
    api: (method, path, body) => callApi(owner, method, path, body),
    async cron() {
      await owner.get('/wp-cron.php?doing_wp_cron')
    },
    async restart() {
      await stopServers(servers)
      servers = await startServers(dir, url, () => query('SELECT 1', []))
    },
    async folders(path) {
      const entries = await readdir(path, { recursive: true, withFileTypes: true })
      return [path, ...entries.filter((one) => one.isDirectory()).map((one) => join(one.parentPath, one.name))]
    },
    async complaints() {
      const log = await readFile(join(dir, 'run/debug.log'), 'utf8').catch(() => '')
      return log
        .split('\n')
        .filter((line) => line.includes('wp-content/plugins/postrider'))
        .join('\n')
    },
    versions: () => versionsOf(site),
    async stop() {
      await stopServers(servers)
      await rm(dir, { recursive: true, force: true })
    },
  }
  return site
}

/** Puts a copy of WordPress with its settings into the directory. */
async function copyWordPress(dir: string, url: string, pictureHost: string): Promise<void> {
  const root = join(dir, 'site')
  // Debian links to files of other packages.
  await run('cp', ['-rL', DEBIAN_WORDPRESS, root])
  const config = `<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:${dir}/run/db.sock');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HOME', '${url}');
define('WP_SITEURL', '${url}');
define('WP_DEBUG', true);
define('WP_DEBUG_DISPLAY', false);
define('WP_DEBUG_LOG', '${dir}/run/debug.log');
define('DISABLE_WP_CRON', true);
define('WP_HTTP_BLOCK_EXTERNAL', false);
define('AUTOMATIC_UPDATER_DISABLED', true);
foreach (['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT'] as $name) {
    define($name, 'only for this test ' . $name);
}
$table_prefix = 'wp_';
if (!defined('ABSPATH')) {
    define('ABSPATH', __DIR__ . '/');
}
require_once ABSPATH . 'wp-settings.php';
`
  await writeFile(join(root, 'wp-config.php'), config)
  const mustUse = `<?php
// The pictures of the test are on this machine, where WordPress fetches nothing from otherwise; and nothing is asked of the internet.
add_filter('http_request_host_is_external', fn ($is, $host) => $is || $host === '${pictureHost}', 10, 2);
add_filter('http_allowed_safe_ports', fn ($ports) => array_merge($ports, range(1024, 65535)));
add_filter('pre_http_request', fn ($answer, $request, $url) => preg_match('#^https?://(127\\.0\\.0\\.1|${pictureHost})[:/]#', $url) ? $answer : new WP_Error('offline', 'The test has no internet.'), 10, 3);
add_filter('pre_wp_mail', '__return_true');
`
  await mkdir(join(root, 'wp-content/mu-plugins'), { recursive: true })
  await mkdir(join(root, 'wp-content/uploads'), { recursive: true })
  await writeFile(join(root, 'wp-content/mu-plugins/test.php'), mustUse)
  if (isRoot) await run('chown', ['-R', 'www-data:www-data', root])
}

/** Writes the settings of php-fpm and nginx. */
async function writeServers(dir: string, port: number): Promise<void> {
  await mkdir(join(dir, 'run'))
  await mkdir(join(dir, 'db'))
  if (isRoot) {
    await run('chown', ['mysql', join(dir, 'db')])
    await chmod(join(dir, 'run'), 0o777)
  }
  const pool = `[global]
error_log = ${dir}/run/fpm.log
daemonize = no
[www]
${isRoot ? 'user = www-data\ngroup = www-data\nlisten.mode = 0666' : ''}
listen = ${dir}/run/fpm.sock
pm = static
pm.max_children = 6
php_admin_value[upload_max_filesize] = 8M
php_admin_value[post_max_size] = 8M
`
  await writeFile(join(dir, 'fpm.conf'), pool)
  const nginx = `${isRoot ? 'user www-data;' : ''}
daemon off;
error_log ${dir}/run/nginx.log;
pid ${dir}/run/nginx.pid;
events { worker_connections 512; }
http {
  include /etc/nginx/mime.types;
  access_log off;
  client_max_body_size 16m;
  client_body_temp_path ${dir}/run/nginx-body;
  fastcgi_temp_path ${dir}/run/nginx-fastcgi;
  proxy_temp_path ${dir}/run/nginx-proxy;
  uwsgi_temp_path ${dir}/run/nginx-uwsgi;
  scgi_temp_path ${dir}/run/nginx-scgi;
  server {
    listen 127.0.0.1:${port};
    root ${dir}/site;
    index index.php;
    location / { try_files $uri $uri/ /index.php?$args; }
    location ~ \\.php$ {
      include /etc/nginx/fastcgi_params;
      fastcgi_param HTTP_HOST $http_host; # with the port
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_pass unix:${dir}/run/fpm.sock;
      fastcgi_read_timeout 120s;
    }
  }
}
`
  await writeFile(join(dir, 'nginx.conf'), nginx)
}

/** Starts database, PHP and web server, in this order; resolves when the site answers. */
async function startServers(dir: string, url: string, askDatabase: () => Promise<unknown>): Promise<ChildProcess[]> {
  const [fpm = ''] = (await readdir('/usr/sbin')).filter((name) => name.startsWith('php-fpm'))
  const database = [
    '--no-defaults',
    `--datadir=${dir}/db`,
    `--socket=${dir}/run/db.sock`,
    '--skip-networking',
    `--pid-file=${dir}/run/db.pid`,
  ]
  const servers = [
    start('mariadbd', [...database, ...(isRoot ? ['--user=mysql'] : [])]),
    start(`/usr/sbin/${fpm}`, ['--fpm-config', join(dir, 'fpm.conf')]),
    start('/usr/sbin/nginx', ['-c', join(dir, 'nginx.conf'), '-e', `${dir}/run/nginx.log`]),
  ]
  await until('the database answers', () => askDatabase().then(() => true))
  await until('PHP is there', () => access(`${dir}/run/fpm.sock`).then(() => true))
  await until('the web server answers', () => fetch(`${url}/readme.html`).then(({ ok }) => ok))
  return servers
}

function start(command: string, args: string[]): ChildProcess {
  return spawn(command, args, { stdio: 'ignore' })
}

async function stopServers(servers: ChildProcess[]): Promise<void> {
  for (const server of servers.toReversed()) {
    if (server.exitCode !== null || server.signalCode !== null) continue
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    const stubborn = setTimeout(() => server.kill('SIGKILL'), SHUT_DOWN_MS)
    await ended
    clearTimeout(stubborn)
  }
}

/** WordPress's own installer, then the form of the login and that of the permalinks. */
async function install(owner: Browser): Promise<void> {
  await owner.post('/wp-admin/install.php?step=2', {
    weblog_title: 'Kitchen notes',
    user_name: ADMIN.user,
    admin_password: ADMIN.password,
    admin_password2: ADMIN.password,
    pw_weak: 'on',
    admin_email: 'owner@example.com',
    blog_public: '1',
    language: '',
  })
  await owner.get('/wp-login.php')
  await owner.post('/wp-login.php', { log: ADMIN.user, pwd: ADMIN.password, testcookie: '1' })
  const form = formOf(await owner.get('/wp-admin/options-permalink.php'), 'options-permalink.php')
  await owner.post('/wp-admin/options-permalink.php', {
    ...form,
    selection: 'custom',
    permalink_structure: '/%postname%/',
  })
}

async function callApi<Answer>(owner: Browser, method: string, path: string, body?: object): Promise<Answer> {
  const nonce = await owner.get('/wp-admin/admin-ajax.php?action=rest-nonce')
  return JSON.parse(await owner.send(method, `/wp-json/wp/v2${path}`, body, { 'x-wp-nonce': nonce.trim() })) as Answer
}

async function versionsOf(site: Site): Promise<Record<string, string>> {
  const [[database = ''] = []] = await site.query('SELECT VERSION()')
  const php = (await run('php', ['-r', 'echo PHP_VERSION;'])).stdout
  const wordpress = await run('php', ['-r', `require '${site.dir}/site/wp-includes/version.php'; echo $wp_version;`])
  const nginx = (await run('/usr/sbin/nginx', ['-v'])).stderr.trim().replace(/.*nginx\//, '')
  return { WordPress: wordpress.stdout, PHP: php, MariaDB: database.replace(/-.*/, ''), nginx }
}
