const ONE_ANSWERS = 'Is about how requests are read and answered, which one process does.'
const DATABASE_ONLY = 'Works on the database, without what the processes of a service are for.'

/** Test files that are not run against a service split into several processes, and why. */
export const EXCEPTIONS: Record<string, string> = {
  'server/test/database-tls.test.ts': 'Starts the service as a process already, on a server of its own.',
  'server/test/generation-providers.test.ts':
    'Is about what the servers of models answer to one writer of drafts; generation.test.ts has the drafts of several.',
  'server/test/generation-process.test.ts':
    'Starts processes that write drafts already, with their real clock and loops.',
  'server/test/commands.test.ts': 'Starts every command as a process already; another topology changes nothing.',
  'server/test/converting.test.ts': ONE_ANSWERS,
  'server/test/direct.test.ts': ONE_ANSWERS,
  'server/test/errors.test.ts': ONE_ANSWERS,
  'server/test/fuzz.test.ts': ONE_ANSWERS,
  'server/test/held-memory.test.ts': ONE_ANSWERS,
  'server/test/hostile-input.test.ts': ONE_ANSWERS,
  'server/test/large-bodies.test.ts': ONE_ANSWERS,
  'server/test/reference.test.ts': ONE_ANSWERS,
  'server/test/web-app.test.ts': ONE_ANSWERS,
  'server/test/wire.test.ts': ONE_ANSWERS,
  'server/test/backup.test.ts': DATABASE_ONLY,
  'server/test/changes.test.ts': DATABASE_ONLY,
  'server/test/database.test.ts': DATABASE_ONLY,
  'server/test/event-contents.test.ts': DATABASE_ONLY,
  'server/test/large-posts.test.ts': 'Starts the service as a process already, with the memory that operators give it.',
  'server/test/metrics.test.ts': 'A process shows what it counted itself; attempts are counted by the workers.',
  'server/test/keys-rotate.test.ts': 'Starts the command as a process, beside services of each role.',
  'server/test/platform-detection-restart.test.ts': 'Is about the end of one process and the start of the next.',
  'server/test/live-processes.test.ts': 'Starts several processes already, with their real clock and loops.',
  'server/test/roles.test.ts': 'Starts one process of each role already, with their real clock and loops.',
  'server/test/pooler.test.ts': 'Starts the service and its commands as processes already.',
  'server/test/process.test.ts': 'Starts the service as processes already, with its real clock and loops.',
}
