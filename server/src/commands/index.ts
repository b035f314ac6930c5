/** Every command. Both the help and the reading of arguments use this table. */
import { type Command, PROGRAM } from './command.ts'

/** The commands, in the order in which help lists them. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    operands: [],
    summary: 'Run the service (also without a command)',
    details: `Brings the schema up to date, then answers requests and delivers until SIGTERM or SIGINT.
Everything is configured by the environment: see \`${PROGRAM} config\`.`,
    options: {},
    load: () => import('./serve.ts'),
  },
  {
    name: 'migrate',
    operands: [],
    summary: 'Bring the database schema up to date',
    details: `\`serve\` does this by itself at start. Run it before, when several processes start at once
or when you want to see what an update will change.`,
    options: { check: { meaning: 'change nothing; exit 1 when something is pending' } },
    load: () => import('./migrate.ts'),
  },
  {
    name: 'account create',
    operands: ['EMAIL', 'NAME'],
    summary: 'Create an account',
    details: `Prints its password, which is made at random and stored nowhere in clear; whoever gets it can change it. Works
with REGISTRATION=closed too, when nobody can register.`,
    options: {},
    load: () => import('./account-create.ts'),
  },
  {
    name: 'plan set',
    operands: ['EMAIL', 'PLAN'],
    summary: 'Put an account on another plan',
    details: `PLAN is starter, pro or agency. It decides how many requests the account may make, and
counts from the next request on.`,
    options: {},
    load: () => import('./plan-set.ts'),
  },
  {
    name: 'password reset',
    operands: ['EMAIL'],
    summary: 'Give an account a new password',
    details: `For somebody who has forgotten theirs. Prints the new password, which is made at random and stored
nowhere in clear, and ends every login of the account.`,
    options: {},
    load: () => import('./password-reset.ts'),
  },
  {
    name: 'keys rotate',
    operands: [],
    summary: 'Replace the secret key that everything is sealed with',
    details: `Seals every site's API key and webhook secret anew, in one transaction. Sites notice nothing;
people have to log in again, because their tokens were signed with the old key.

With the embedded database a new key is generated into DATA_DIR/secret.key, and the old one
is kept beside it, since backups made before need it. With SECRET_KEY in the environment the
next key comes from the environment too: stop every process, run this with both keys set,
then start them with SECRET_KEY set to the new one.`,
    options: {
      'new-key-env': { value: 'NAME', meaning: 'the variable that holds the next key (default NEW_SECRET_KEY)' },
      force: {
        meaning:
          'go on although other processes are at work; until they restart, their attempts fail and they make no keys',
      },
    },
    load: () => import('./keys-rotate.ts'),
  },
  {
    name: 'doctor',
    operands: [],
    summary: 'Check that everything needed is in order',
    details: `One line for each thing: ✓ in order, ✗ to be mended (and how), – not checked. Changes nothing.
A configured language model is asked one short question. Exits 1 when there is a ✗.`,
    options: {},
    load: () => import('./doctor.ts'),
  },
  {
    name: 'backup',
    operands: ['FILE'],
    summary: 'Write the whole database to one file',
    details: `The file holds every table as of one moment and is complete when it appears. It can be
restored into either kind of database. With PostgreSQL the service may go on working
meanwhile; the embedded database serves one process, so stop the service first.

Secrets stay sealed in the file, and it opens only with the secret key: keep that too,
elsewhere.`,
    options: {
      force: { meaning: 'replace FILE when it exists' },
      'include-key': { meaning: 'put the key of an embedded database into the file; then guard it like the key' },
    },
    load: () => import('./backup.ts'),
  },
  {
    name: 'restore',
    operands: ['FILE'],
    summary: 'Load a backup into an empty database',
    details: `Checks the file from end to end first, then loads all of it in one transaction or nothing.
Deliveries that were pending in the backup are made again once the service starts, also
those that had arrived since the backup was made.`,
    options: {
      check: { meaning: 'restore nothing; say whether FILE is whole, for this version and for the key at hand' },
    },
    load: () => import('./restore.ts'),
  },
  {
    name: 'config',
    operands: [],
    summary: 'Show the configuration in effect',
    details: 'Every variable, its value and where that comes from. Secrets are shown as set or not set.',
    options: { json: { meaning: 'print JSON' } },
    load: () => import('./config.ts'),
  },
]
