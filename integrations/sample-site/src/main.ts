/** Starts the sample site as a program: `POSTRIDER_SECRET=whsec_… npm run sample-site`. `PORT` is 4000 unless set. */
import { type Answered, startSampleSite } from './sample-site.ts'

const { POSTRIDER_SECRET: secret = '', PORT: port = '4000' } = process.env

function giveUp(message: string): never {
  console.error(message)
  process.exit(1)
}

function describe({ event }: Answered): string {
  if (event === undefined) return 'refused: is POSTRIDER_SECRET the secret of the site that was sent this?'
  return 'post' in event && 'title' in event.post ? `${event.event}  ${event.post.title}` : event.event
}

if (secret === '')
  giveUp(
    'The sample site needs the "webhook_secret" that connecting it answered:\n  POSTRIDER_SECRET=whsec_… npm run sample-site',
  )
try {
  const site = await startSampleSite({
    port: Number(port),
    onWebhook: (answered) => console.log(`${answered.status}  ${describe(answered)}`),
  })
  site.setSecret(secret)
  console.log(`The sample site runs at ${site.url} and waits for webhooks at ${site.webhookUrl}. Stop it with Ctrl-C.`)
} catch (error) {
  giveUp(`The sample site cannot listen on port ${port}: ${String(error)}\nName another one: PORT=4001`)
}
