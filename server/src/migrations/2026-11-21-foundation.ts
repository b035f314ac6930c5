import { type Kysely, sql } from 'kysely'

/** Accounts, sites, posts, and the delivery engine's tables. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(ACCOUNTS + SITES + POSTS + DELIVERIES).execute(db)
}

const ACCOUNTS = `
-- One row: which secret key this database was made with.
create table installation (
  only_row boolean primary key default true check (only_row),
  key_fingerprint bytea not null
);

create table accounts (
  id uuid primary key,
  name text not null,
  email text not null,
  email_key text not null constraint accounts_email_key unique,
  password_hash text not null,
  plan text not null check (plan in ('starter', 'pro', 'agency')),
  token_generation integer not null default 1,
  created_at timestamptz not null
);
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
  body_json jsonb not null,
  meta jsonb not null,
  tags text[] not null,
  status text not null check (status in ('draft', 'scheduled', 'published')),
  scheduled_at timestamptz,
  published_at timestamptz,
  visible_to_all boolean not null default false,
  event_sequence integer not null default 0,
  sent_version integer,
  search tsvector not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint posts_slug unique (account_id, slug),
  check ((status = 'scheduled') = (scheduled_at is not null))
);
create index posts_newest on posts (account_id, created_at desc, id desc);
create index posts_due on posts (scheduled_at) where status = 'scheduled';
create index posts_search on posts using gin (search);

create table post_slugs (
  account_id uuid not null,
  post_id uuid not null references posts (id) on delete cascade,
  slug text not null,
  retired_at timestamptz not null,
  primary key (account_id, slug)
);
create index post_slugs_of_post on post_slugs (post_id);

-- What a site has to do with a post: named in a publish (it may see the post), and sent the post (it has a copy).
create table post_sites (
  account_id uuid not null,
  post_id uuid not null references posts (id) on delete cascade,
  site_id uuid not null,
  named boolean not null,
  sent boolean not null,
  primary key (post_id, site_id)
);
create index post_sites_of_site on post_sites (site_id);
`

// Deliveries have no foreign keys: they outlive their post and site, and every settled batch would pay for the checks.
const DELIVERIES = `
create table endpoints (
  site_id uuid primary key,
  account_id uuid not null references accounts (id),
  site_name text not null,
  webhook_url text not null,
  secret_sealed bytea,
  paused boolean not null default false,
  deleted_at timestamptz,
  created_at timestamptz not null
);
create index endpoints_of_account on endpoints (account_id);

create table lanes (
  site_id uuid primary key,
  account_id uuid not null,
  due_at timestamptz,
  leased_until timestamptz,
  fence bigint not null default 0,
  recovering boolean not null default false,
  suspect boolean not null default false,
  failing boolean not null default false,
  failures_in_a_row integer not null default 0,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  last_delivered_at timestamptz
) with (fillfactor = 50);
create index lanes_due on lanes (suspect, due_at) where due_at is not null;

create table events (
  id uuid primary key,
  account_id uuid not null,
  post_id uuid not null,
  sequence integer not null,
  kind text not null check (kind in ('post.published', 'post.updated', 'post.deleted')),
  previous_version integer,
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
) with (fillfactor = 85);
create index deliveries_due on deliveries (site_id, next_attempt_at, id) where status = 'pending';
create index deliveries_of_post on deliveries (post_id, site_id, sequence desc);

create table delivery_hours (
  account_id uuid not null,
  site_id uuid not null,
  hour timestamptz not null,
  delivered integer not null default 0,
  failed integer not null default 0,
  retried integer not null default 0,
  delivered_ms bigint not null default 0,
  primary key (account_id, site_id, hour)
) with (fillfactor = 70);
`
