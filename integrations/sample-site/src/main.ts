/**
 * Starts the sample site as a program: `POSTRIDER_SECRET=whsec_… npm run sample-site`. `PORT` is 4000 unless set. With
 * `POSTRIDER_KEY`, the site's API key, it begins with the posts that the service at `POSTRIDER_URL` has published already.
 */
import { type Answered, startSampleSite } from './sample-site.ts'

const {
  POSTRIDER_SECRET: secret = '',
  POSTRIDER_KEY: key = '',
  POSTRIDER_URL: url = 'http://localhost:3000',
  PORT: port = '4000',
} = process.env

/** How it was started: by the package, which runs bundled JavaScript, or in a checkout. */
const PROGRAM = import.meta.url.endsWith('.js') ? 'postrider-sample-site' : 'npm run sample-site'

function giveUp(message: string): never {
  console.error(message)
  process.exit(1)
}

function describe({ event }: Answered): string {
  if (event === undefined)
    return 'Refused a webhook: POSTRIDER_SECRET is not the secret of the site that it was sent to.'
  switch (event.event) {
    case 'site.test':
      return `The test of “${event.site.name}” arrived.`
    case 'post.published':
      return `“${event.post.title}” arrived.`
    case 'post.updated':
      return `“${event.post.title}” changed: version ${event.post.version}.`
    case 'post.deleted':
      return `/posts/${event.post.slug} was withdrawn.`
  }
}

if (secret === '')
  giveUp(
    `The sample site needs the webhook secret of a site in Postrider.\nThe dashboard prepares the command: Connect a site, then “Use the sample site”. By hand:\n  POSTRIDER_SECRET=whsec_… ${PROGRAM}`,
  )
// Dots are how the dashboard hides what it shows.
if (/[^\x21-\x7e]/.test(secret + key))
  giveUp(
    'POSTRIDER_SECRET or POSTRIDER_KEY is not complete: it was copied while the dashboard hid it.\nUse the copy button beside the command, or “Show the secrets” first.',
  )
const site = await startSampleSite({
  port: Number(port),
  onWebhook: (answered) => console.log(`${new Date().toLocaleTimeString('en-GB')}  ${describe(answered)}`),
}).catch((error: unknown) => {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  return giveUp(
    isTaken
      ? `Another program uses port ${port}, perhaps another sample site: stop it, or put PORT=4001 before the command and change the site’s addresses in Postrider.`
      : `The sample site cannot listen on port ${port}: ${String(error)}`,
  )
})
site.setSecret(secret)
console.log(`
  The sample site runs at ${site.url}   ← open it in a browser
  It receives posts at ${site.webhookUrl}. Stop it with Ctrl-C.
`)
if (key !== '') {
  const count = await site.catchUp({ url, key }).catch((error: unknown) => String(error))
  if (typeof count === 'string')
    console.error(`The posts that are published already could not be fetched from ${url}. ${count}`)
  else if (count > 0)
    console.log(
      `  It has fetched ${count === 1 ? 'the post that was' : `the ${count} posts that were`} published already.\n`,
    )
}
