/** Every command. Both the help and the reading of arguments use this table. */
import { REACHES } from './author/reaches.ts'
import { type Command, PROGRAM } from './command.ts'

/** The commands, in the order in which help lists them. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    operands: [],
    summary: 'Run the service (also without a command)',
    details: `Brings the schema up to date, then serves requests and delivers until SIGTERM or SIGINT.
Configuration is by environment variables: see \`${PROGRAM} config\`.`,
    options: {},
    load: () => import('./serve.ts'),
  },
  {
    name: 'migrate',
    operands: [],
    summary: 'Bring the database schema up to date',
    details: `\`serve\` does this at start. Run it yourself before several processes start at once, or with
--check to see what an update will change.`,
    options: { check: { meaning: 'change nothing; exit 1 if migrations are pending' } },
    load: () => import('./migrate.ts'),
  },
  {
    name: 'account create',
    operands: ['EMAIL', 'NAME'],
    summary: 'Create an account',
    details: `Prints its password, which is random and stored only as a hash; the user can change it. Also works with
REGISTRATION=closed.`,
    options: {},
    load: () => import('./account-create.ts'),
  },
  {
    name: 'account list',
    operands: [],
    summary: 'List the accounts',
    details: 'With the plan of each, how many sites and posts it has, and since when. Oldest first.',
    options: { json: { meaning: 'as JSON, for programs' } },
    load: () => import('./account-list.ts'),
  },
  {
    name: 'account delete',
    operands: ['EMAIL'],
    summary: 'Remove an account with everything it has',
    details: `Its posts, sites, drafts and history, for good: without --yes it only says what that would be. Logins
and site keys stop working at once, and what was to be delivered is not sent. The sites keep
what they have been sent: to take posts off them first, delete the posts.`,
    options: { yes: { meaning: 'do it' } },
    load: () => import('./account-delete.ts'),
  },
  {
    name: 'plan set',
    operands: ['EMAIL', 'PLAN'],
    summary: 'Change the plan of an account',
    details: `PLAN is starter, pro or agency. It sets the account's rate limit, from the next request on.`,
    options: {},
    load: () => import('./plan-set.ts'),
  },
  {
    name: 'password reset',
    operands: ['EMAIL'],
    summary: 'Give an account a new password',
    details: `For users who have forgotten theirs. Prints the new password, which is random and stored only as
a hash, and ends every login of the account.`,
    options: {},
    load: () => import('./password-reset.ts'),
  },
  {
    name: 'keys rotate',
    operands: [],
    summary: 'Replace the secret key that encrypts stored secrets',
    details: `Encrypts every site's API key and webhook secret with a new key, in one transaction. Sites need
no change; users have to log in again, because their tokens were signed with the old key.

If the key is in DATA_DIR/secret.key, a new one is generated there, and the old one is kept
beside it, because earlier backups need it. With SECRET_KEY in the environment, the next key
comes from the environment too: stop every process, run this with both keys set, then start
the processes with SECRET_KEY set to the new one.`,
    options: {
      'new-key-env': { value: 'NAME', meaning: 'the variable that holds the next key (default NEW_SECRET_KEY)' },
      force: {
        meaning:
          'rotate while other processes run; until they restart, their deliveries fail and they make no keys for sites',
      },
    },
    load: () => import('./keys-rotate.ts'),
  },
  {
    name: 'login',
    operands: ['[URL]'],
    summary: 'Let the commands of authors on this machine use your account',
    details: `Asks for your e-mail address and password, makes a token with them, which may write and publish, and keeps it
for this user of the machine. The password is not kept. URL is where the service is (default POSTRIDER_URL,
or http://localhost:3000).`,
    options: { forget: { meaning: 'forget the token' } },
    load: () => import('./login.ts'),
  },
  {
    name: 'post push',
    operands: ['FILE…'],
    summary: 'Bring posts up to Markdown files with front matter',
    details: `Each FILE, or each Markdown file below a directory, is a post: that with the id in its front matter, or else
with its slug (by default the name of the file). New ones are created, others changed where they differ;
again with the same files, nothing is written. New posts are drafts, unless --publish or --at is given.
Published posts are sent to their sites when their file has changed. Exits 1 if a file was refused.

${REACHES}`,
    options: {
      publish: { meaning: 'publish; a date to come is a schedule, and draft: true takes a post off its sites' },
      draft: { meaning: 'make them drafts' },
      at: { value: 'TIME', meaning: 'publish at this time' },
      site: { value: 'NAME', meaning: 'for this site only' },
      json: { meaning: 'as JSON, for programs' },
    },
    load: () => import('./post-push.ts'),
  },
  {
    name: 'post pull',
    operands: ['[DIR]'],
    summary: 'Write all posts as Markdown files with front matter',
    details: `Into DIR, or where you are. Files that differ are replaced; other files stay as they are.

${REACHES}`,
    options: {},
    load: () => import('./post-pull.ts'),
  },
  {
    name: 'post list',
    operands: [],
    summary: 'List the posts of your account',
    details: `Newest first, with the number of sites that a post failed to reach.

${REACHES}`,
    options: { json: { meaning: 'as JSON, for programs' } },
    load: () => import('./post-list.ts'),
  },
  {
    name: 'site list',
    operands: [],
    summary: 'List the sites of your account',
    details: `With what each lacks.

${REACHES}`,
    options: { json: { meaning: 'as JSON, for programs' } },
    load: () => import('./site-list.ts'),
  },
  {
    name: 'deliveries',
    operands: [],
    summary: 'List the latest deliveries of your account',
    details: `The newest fifty; with --follow, each from now on, whenever something has become of it.

${REACHES}`,
    options: {
      failed: { meaning: 'only those that have failed; exit 1 if there is one' },
      follow: { meaning: 'go on until you end it' },
      json: { meaning: 'as JSON, for programs; with --follow a line for each' },
    },
    load: () => import('./deliveries.ts'),
  },
  {
    name: 'listen',
    operands: [],
    summary: 'Hand what a site is sent to a receiver on this machine',
    details: `For whoever writes a receiver: every webhook of a site, signed as the site gets it, is sent to --forward as well,
and its answer is printed. It follows the account's event stream, so no tunnel is needed. The site gets
everything as ever, and what is answered here changes nothing.

${REACHES}`,
    options: {
      forward: { value: 'URL', meaning: 'the receiver, such as http://localhost:3000/webhooks/postrider' },
      site: { value: 'NAME', meaning: 'the site (default: the only one)' },
    },
    load: () => import('./listen.ts'),
  },
  {
    name: 'verify',
    operands: ['URL'],
    summary: 'Try whether a receiver does what Postrider relies on',
    details: `Sends a test, a new post, a change and a removal to the webhook address of a site, and what should be
refused or passed over: a forged signature, an old and a too large request, repeats, an older version. The
post is removed in the end; a live site may show it for a moment. Exits 1 if something is wrong.`,
    options: { secret: { value: 'SECRET', meaning: 'the webhook_secret of the site (default POSTRIDER_SECRET)' } },
    load: () => import('./verify.ts'),
  },
  {
    name: 'doctor',
    operands: [],
    summary: 'Check that everything needed is in order',
    details: `One line for each check: ✓ in order, ✗ a problem (and how to fix it), – not checked. Changes nothing.
A configured language model is asked one short question. Exits 1 if there is a ✗.`,
    options: {},
    load: () => import('./doctor.ts'),
  },
  {
    name: 'backup',
    operands: ['FILE'],
    summary: 'Write the whole database to one file',
    details: `The file holds every table at one point in time and is complete when it appears. It can be
restored into either kind of database. With PostgreSQL the service can keep running; with
the embedded database stop it first, because only one process can use that database.

Secrets stay encrypted in the file, and it can be restored only with the secret key: keep a
copy of the key elsewhere.`,
    options: {
      force: { meaning: 'replace FILE if it exists' },
      'include-key': {
        meaning: 'put the key of an embedded database into the file; then protect the file like the key',
      },
    },
    load: () => import('./backup.ts'),
  },
  {
    name: 'restore',
    operands: ['FILE'],
    summary: 'Load a backup into an empty database',
    details: `Checks the whole file first, then loads all of it in one transaction. When the service starts,
it sends the deliveries that were pending in the backup, even those that have succeeded since
the backup was made, and publishes the posts that have come due since. Posts get higher versions,
so that sites take later changes for newer than anything they were sent after the backup, and
everybody has to log in again: a login may have been ended after the backup.`,
    options: {
      'keep-versions': {
        meaning: 'leave versions and logins as they are; for a move, when nothing happened after the backup',
      },
      check: { meaning: 'restore nothing; say whether FILE is complete and fits this version and the key at hand' },
    },
    load: () => import('./restore.ts'),
  },
  {
    name: 'versions raise',
    operands: [],
    summary: 'Raise all posts above the versions that sites may have',
    details: `For a database that has lost commits: a standby without them took over, or a disk came back in
an earlier state. Sites keep the highest version that they were sent of a post. If the database
has lost that version, they would ignore the next changes of the post. Changes nothing else.
With PostgreSQL the service can keep running: changes of posts wait until this is done. A
restore does this by itself.`,
    options: {},
    load: () => import('./versions-raise.ts'),
  },
  {
    name: 'config',
    operands: [],
    summary: 'Show the configuration in effect',
    details: 'Every variable, its value and whether that is set or the default. Secrets are shown as set or not set.',
    options: { json: { meaning: 'print JSON' } },
    load: () => import('./config.ts'),
  },
]
