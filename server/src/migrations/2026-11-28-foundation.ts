import { type Kysely, sql } from 'kysely'

/** Every table, slice by slice. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(PLATFORM + ACCOUNTS + SITES + POSTS + SITES_OF_POSTS).execute(db)
  await sql.raw(ENGINE + DELIVERIES + ANALYTICS + GENERATION).execute(db)
}

const PLATFORM = `
-- One row: which secret key this database was made with.
create table installation (
  only_row boolean primary key default true check (only_row),
  key_fingerprint bytea not null
);

-- One row per counted bucket: how much of the window that ends then is used.
create table rate_limits (
  bucket text primary key,
  window_ends_at timestamptz not null,
  used integer not null
) with (fillfactor = 70);
create index rate_limits_ended on rate_limits (window_ends_at);

-- A request that works for long says in alive_at that it does, so that nobody takes its key over.
create table idempotency_keys (
  scope text not null,
  key text not null,
  request bytea not null,
  state text not null check (state in ('running', 'committed', 'answered')),
  begun_at timestamptz not null,
  alive_at timestamptz,
  status integer,
  headers jsonb,
  body bytea,
  primary key (scope, key)
);
create index idempotency_keys_old on idempotency_keys (begun_at);

-- A job is leased by one worker at a time; what that worker records counts only while the fence is its own. It refers to no account, so
-- that somebody who has locked a site can add a job while the account is being removed.
create table jobs (
  kind text not null,
  key text not null,
  account_id uuid not null,
  payload jsonb not null,
  progress jsonb,
  run_at timestamptz not null,
  tries integer not null default 0,
  fence bigint not null default 0,
  leased_until timestamptz,
  leased_by text,
  primary key (kind, key)
) with (fillfactor = 70);
create index jobs_due on jobs (kind, run_at);
create index jobs_of_account on jobs (account_id);
`

// Generations of tokens are times in seconds, which an integer could hold until 2038.
const ACCOUNTS = `
create table accounts (
  id uuid primary key,
  name text not null,
  email text not null,
  email_key text not null constraint accounts_email_key unique,
  password_hash text not null,
  plan text not null check (plan in ('starter', 'pro', 'agency')),
  token_generation bigint not null default 1,
  created_at timestamptz not null
);

-- Sessions that were signed out: until they would have expired, their tokens are refused.
create table ended_sessions (
  id uuid primary key,
  expires_at timestamptz not null
);
create index ended_sessions_expired on ended_sessions (expires_at);

-- Networks from which somebody has logged in to an account: they are not locked out by others' guesses.
create table login_networks (
  account_id uuid not null references accounts (id) on delete cascade,
  network bytea not null,
  last_login_at timestamptz not null,
  primary key (account_id, network)
);
create index login_networks_old on login_networks (last_login_at);
`

const SITES = `
create table sites (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  name text not null,
  url text not null,
  platform text not null check (platform in ('nextjs', 'wordpress', 'gatsby', 'sveltekit', 'custom')),
  platform_given boolean not null,
  niche text not null,
  api_key_sealed bytea not null,
  api_key_index bytea not null constraint sites_api_key_index unique,
  created_at timestamptz not null
);
create index sites_of_account on sites (account_id, created_at);
`

// The columns that posts_newest includes let a list skip to a page far back, and count, without reading the posts before it.
const POSTS = `
create table posts (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  version integer not null,
  slug text collate "C" not null,
  title text not null,
  excerpt text not null,
  body_html text not null,
  body_markdown text not null,
  body_site_markdown text, -- what sites get where the author's Markdown has what they must not get
  body_json jsonb not null,
  meta jsonb not null,
  tags text[] not null,
  status text not null check (status in ('draft', 'scheduled', 'published')),
  scheduled_at timestamptz,
  schedule_zone text,
  published_at timestamptz,
  first_published_at timestamptz, -- unpublishing does not undo it
  visible_to_all boolean not null default false,
  event_sequence integer not null default 0,
  sent_version integer,
  search tsvector not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint posts_slug unique (account_id, slug),
  check ((status = 'scheduled') = (scheduled_at is not null))
);
create index posts_newest on posts (account_id, created_at desc, id desc) include (status, visible_to_all);
create index posts_unpublished on posts (account_id, created_at desc, id desc) include (status) where status <> 'published';
create index posts_updated on posts (account_id, updated_at desc, id desc);
create index posts_due on posts (scheduled_at, id) where status = 'scheduled';
create index posts_scheduled on posts (account_id, scheduled_at, id) where status = 'scheduled';
create index posts_published on posts (account_id, published_at desc, id desc) where status = 'published';
create index posts_open on posts (account_id, published_at desc, id desc) where status = 'published' and visible_to_all;
create index posts_first_published on posts (account_id, first_published_at) where first_published_at is not null;
create index posts_tags on posts using gin (array_prepend(account_id::text, tags));
create index posts_search on posts using gin (search);

create table post_slugs (
  account_id uuid not null,
  post_id uuid not null references posts (id) on delete cascade,
  slug text not null,
  retired_at timestamptz not null,
  primary key (account_id, slug)
);
create index post_slugs_of_post on post_slugs (post_id);
`

// A post is visible either to all sites or by name to some, never both: so what a site sees is two disjoint lists.
const SITES_OF_POSTS = `
-- What a site has to do with a post: named in a publish (it may see the post), and sent the post (it has a copy).
create table post_sites (
  account_id uuid not null,
  post_id uuid not null references posts (id) on delete cascade,
  site_id uuid not null,
  named boolean not null,
  sent boolean not null,
  published_at timestamptz,
  primary key (post_id, site_id),
  constraint post_sites_named_since check (published_at is not null or not named)
);
create index post_sites_named on post_sites (site_id, published_at desc, post_id desc) where named;

-- The revision of the posts of an account: it rises with every transaction that changes what any of its sites may see. Changes are
-- known since changes_since.
create table catalogs (
  account_id uuid primary key,
  revision bigint not null,
  changes_since bigint not null default 0
) with (fillfactor = 50);

-- One row per post that sites may see, or could: the revision at which this last changed. Removed posts are kept as tombstones.
create table post_changes (
  post_id uuid primary key,
  account_id uuid not null,
  revision bigint not null,
  published_revision bigint not null, -- since when sites may see it
  slug text not null,
  version integer not null,
  shown_to uuid[], -- null: to every site
  removed_at timestamptz
) with (fillfactor = 70);
create index post_changes_by_revision on post_changes (account_id, revision, post_id);
create index post_changes_removed on post_changes (removed_at) where removed_at is not null;
`

// By default autovacuum waits until a fifth of a table changed: by then reading lanes would pass thousands of dead rows, and a table with
// years of history would hardly ever be vacuumed.
const ENGINE = `
-- A worker renews its row while it lives. After a crash of the server nobody misses the rows.
create unlogged table workers (
  id uuid primary key,
  since timestamptz not null,
  seen_at timestamptz not null
);

-- Where a site's deliveries go: the channel of this kind reads the configuration.
create table endpoints (
  site_id uuid primary key,
  account_id uuid not null references accounts (id),
  site_name text not null,
  kind text not null,
  config jsonb not null,
  secret_sealed bytea,
  paused boolean not null default false,
  deleted_at timestamptz,
  created_at timestamptz not null
);
create index endpoints_of_account on endpoints (account_id);
create index endpoints_deleted on endpoints (deleted_at) where deleted_at is not null;

create table lanes (
  site_id uuid primary key,
  account_id uuid not null,
  due_at timestamptz,
  leased_until timestamptz,
  leased_by uuid,
  fence bigint not null default 0,
  unrecorded_at timestamptz, -- when it was last found abandoned: attempts before that may have no record
  suspect boolean not null default false,
  failing boolean not null default false,
  failures_in_a_row integer not null default 0,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  last_delivered_at timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.1);
create index lanes_due on lanes (suspect, due_at) where due_at is not null;
`

// Deliveries have no foreign keys: they outlive their post and site, and every settled batch would pay for the checks.
//
// Both indexes for the log are by site: a page of an account's log merges a few rows of each site, so one index serves the logs of accounts
// and of sites, however unevenly deliveries are spread. Neither contains a column that changes when a delivery is settled. The second one
// finds what is rare in a log of nearly always "delivered"; only deliveries that failed before are in it.
const DELIVERIES = `
create table events (
  id uuid primary key,
  account_id uuid not null,
  post_id uuid not null,
  sequence integer not null,
  kind text not null check (kind in ('post.published', 'post.updated', 'post.deleted')),
  previous_version integer,
  version integer not null default 0, -- of the post, at the moment of the event; 0 in backups of previews
  occurred_at timestamptz not null,
  payload text not null,
  payload_bytes integer not null
);

create table deliveries (
  id uuid primary key,
  account_id uuid not null,
  site_id uuid not null,
  post_id uuid not null,
  event_id uuid not null,
  sequence integer not null,
  status text not null check (status in ('pending', 'delivered', 'delivered_retry', 'failed')),
  attempts integer not null default 0,
  attempts_in_round integer not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  response_code integer,
  response_time_ms integer,
  last_error text,
  history jsonb not null default '[]',
  metadata jsonb,
  check ((status = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
  autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000);
create index deliveries_due on deliveries (site_id, next_attempt_at, id) where status = 'pending';
create index deliveries_of_post on deliveries (post_id, site_id, sequence desc);
create index deliveries_failed on deliveries (account_id, finished_at desc) where status = 'failed';
create index deliveries_log on deliveries (site_id, id desc);
create index deliveries_troubled on deliveries (site_id, id desc) where status in ('failed', 'delivered_retry');
`

// A delivery that a site confirmed itself counts as delivered, but has no measured response time.
const ANALYTICS = `
create table delivery_hours (
  account_id uuid not null,
  site_id uuid not null,
  hour timestamptz not null,
  delivered integer not null default 0,
  failed integer not null default 0,
  retried integer not null default 0,
  confirmed integer not null default 0,
  delivered_ms bigint not null default 0,
  primary key (account_id, site_id, hour)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Days are in UTC. A month of a hundred sites is 3,000 rows instead of 72,000.
create table delivery_days (
  account_id uuid not null,
  site_id uuid not null,
  day timestamptz not null,
  delivered integer not null default 0,
  failed integer not null default 0,
  retried integer not null default 0,
  confirmed integer not null default 0,
  delivered_ms bigint not null default 0,
  primary key (account_id, site_id, day)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
`

const GENERATION = `
-- The drafts that were asked for, and what they have used. The work on them is a job.
create table generation_jobs (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  status text not null check (status in ('processing', 'complete', 'failed')),
  brief jsonb not null,
  generator text not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  progress jsonb,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  worked_ms integer not null default 0,
  post_id uuid,
  actual_words integer,
  report jsonb,
  error jsonb,
  check ((status = 'processing') = (finished_at is null))
) with (fillfactor = 70);
create index generation_jobs_of_account on generation_jobs (account_id) where status = 'processing';
create index generation_jobs_finished on generation_jobs (finished_at) where status <> 'processing';

-- Kept until the job is finished: a question that was answered is not asked again.
create table generation_answers (
  job_id uuid not null references generation_jobs (id) on delete cascade,
  name text not null,
  answer text not null,
  primary key (job_id, name)
);

-- Tokens per account and day (UTC); outlives the jobs.
create table generation_usage (
  account_id uuid not null references accounts (id),
  day date not null,
  tokens bigint not null,
  primary key (account_id, day)
);
`
