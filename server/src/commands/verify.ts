import { verifyReceiver } from '@postrider/sdk'
import { receiverEgress } from './author/receiver-egress.ts'
import { EXIT, type Run, UsageError } from './command.ts'

const MARKS = { good: '✓', bad: '✗', unknown: '–' } as const
const MOST_BYTES = 4_096

/** Tries a receiver; exits 1 if it does something wrong. Requests go where webhooks may go. */
export const run: Run = async ({ operands, options, env, terminal }) => {
  const [url = ''] = operands
  const secret = options.secret ?? env.POSTRIDER_SECRET
  if (typeof secret !== 'string' || secret === '')
    throw new UsageError('The secret is missing. Give --secret whsec_…, or set POSTRIDER_SECRET.')
  const { egress, deadlineMs } = receiverEgress(env)
  let bad = 0
  try {
    const findings = verifyReceiver({
      url,
      secret,
      async send(request) {
        const outcome = await egress.send({ ...request, method: 'POST', deadlineMs, maxResponseBytes: MOST_BYTES })
        if (outcome.kind === 'unreachable') throw new Error(outcome.detail)
        return { status: outcome.status, text: Buffer.from(outcome.body).toString('utf8') }
      },
    })
    for await (const { what, state, says } of findings) {
      if (state === 'bad') bad += 1
      terminal.print(`${MARKS[state]} ${what}: ${says}`)
    }
  } finally {
    await egress.close()
  }
  terminal.print(bad === 0 ? '\nThe receiver does what Postrider relies on.' : `\nProblems to fix: ${bad}.`)
  return bad === 0 ? EXIT.ok : EXIT.failed
}
