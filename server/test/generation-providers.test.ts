/** How drafts fare with providers that fail, drift, stall and lie. Each ends in a good draft or in a clear failure. */
import type { ServerResponse } from 'node:http'
import type { GenerateDraft, GenerationJob, PostriderClient } from '@postrider/sdk'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { answer, type Habits } from './support/author.ts'
import { writeDraft, writtenBy } from './support/drafts.ts'
import { type Asked, type ModelServer, type Script, startModelServer } from './support/model-server.ts'
import { newAccount, startService, type TestService } from './support/service.ts'

const INPUT = {
  topic: 'Watering tomatoes in a hot summer',
  length: 'short',
  include_faq: true,
  target_keywords: ['watering tomatoes', 'mulch layer'],
} satisfies GenerateDraft

type Protocol = 'openai' | 'anthropic'

/** What comes from a provider does not depend on the database: each protocol is tried with one of them. */
const protocolHere: Protocol = inject('database').kind === 'embedded' ? 'openai' : 'anthropic'

let model: ModelServer
let service: TestService
let client: PostriderClient

afterEach(async () => {
  await service.stop()
  await model.close()
})

/** Starts a model's server with this script, and a service that uses it. */
async function start(
  protocol: Protocol,
  script: Script,
  env: Record<string, string> = {},
  habits: Habits = {},
): Promise<void> {
  model = await startModelServer({ protocol, script, habits })
  const anthropic =
    protocol === 'anthropic'
      ? { AI_PROVIDER: 'anthropic', AI_MODEL: 'claude-sonnet-4-5', AI_API_KEY: 'sk-ant-test' }
      : {}
  service = await startService(writtenBy(model, { ...anthropic, ...env }))
  client = await newAccount(service)
}

/** Has the draft written that all of these ask for. */
async function write(
  protocol: Protocol,
  script: Script,
  env: Record<string, string> = {},
  habits: Habits = {},
): Promise<GenerationJob> {
  await start(protocol, script, env, habits)
  const job = await writeDraft(service, client, INPUT)
  expect(job.status).not.toBe('processing')
  // Nobody is told a secret, and nothing is published.
  expect(JSON.stringify([job, service.logged])).not.toContain('sk-ant-test')
  expect((await client.posts.list({ status: 'published' })).data).toEqual([])
  return job
}

function expectGoodDraft(job: GenerationJob): void {
  expect(job.error).toBeUndefined()
  expect(job).toMatchObject({ status: 'complete', warnings: [], post: { status: 'draft' } })
  expect(Math.abs((job.actual_words ?? 0) - 800)).toBeLessThanOrEqual(80)
  expect(job.faq).toHaveLength(3)
}

async function expectFailure(job: GenerationJob, code: string): Promise<void> {
  expect(job).toMatchObject({ status: 'failed', estimated_seconds: 0, error: { code, message: expect.any(String) } })
  expect(job).not.toHaveProperty('post')
  expect((await client.posts.list()).data).toEqual([])
}

/** Reacts to the questions with these numbers, and leaves the others to the author. */
const at =
  (indexes: number[], react: Script): Script =>
  (asked, index) =>
    indexes.includes(index) ? react(asked, index) : undefined

const isJson = ({ purpose }: Asked) => ['outline', 'faq', 'details'].includes(purpose)
const asksForShape = ({ body }: Asked) =>
  body.response_format !== undefined ||
  body.tools !== undefined ||
  body.output_config !== undefined ||
  body.output_format !== undefined

describe.each([protocolHere])('a provider that speaks %s', (protocol) => {
  it('and works gives a good draft, with each question put once', async () => {
    const job = await write(protocol, () => undefined)
    expectGoodDraft(job)
    expect(model.asked).toHaveLength(8)
    const [first] = model.asked
    expect(first?.path).toBe(protocol === 'anthropic' ? '/v1/messages' : '/v1/chat/completions')
    expect(first?.body).toMatchObject({ stream: true, max_tokens: expect.any(Number) })
    if (protocol === 'anthropic') expect(first?.headers['x-api-key']).toBe('sk-ant-test')
    else expect(first?.headers.authorization).toBeUndefined()
    expect(model.asked.filter(isJson).every(asksForShape)).toBe(true)
    expect(job.tokens.output).toBeGreaterThan(500)
  })

  it.each<[string, NonNullable<Habits['words']>]>([
    ['half', (asked) => asked / 2],
    ['double', (asked) => asked * 2],
    ['40 % too little at first', (asked, { purpose }) => (purpose === 'first' ? 0.6 * asked : asked)],
    ['40 % too much at first', (asked, { purpose }) => (purpose === 'first' ? 1.4 * asked : asked)],
  ])('and gives %s of what is asked for still gives a good draft', async (_habit, words) => {
    expectGoodDraft(await write(protocol, () => undefined, {}, { words }))
  })

  it('and puts JSON into fences gives a good draft', async () => {
    const fenced: Script = (asked) => (isJson(asked) ? `Here it is:\n\`\`\`json\n${answer(asked)}\n\`\`\`` : undefined)
    expectGoodDraft(await write(protocol, fenced))
    expect(model.asked).toHaveLength(8)
  })

  it('and knows no schemas is asked without, and is not asked for one again', async () => {
    const refuse: Script = (asked) =>
      asksForShape(asked)
        ? { status: 400, body: { error: { message: 'response_format is not supported' } } }
        : undefined
    expectGoodDraft(await write(protocol, refuse))
    const refused = model.asked.filter(asksForShape)
    // With OpenAI's protocol there is JSON without a schema between the two.
    expect(refused).toHaveLength(protocol === 'openai' ? 2 : 1)
    expect(model.asked.indexOf(refused.at(-1) as Asked)).toBe(refused.length - 1)
    expect(model.asked).toHaveLength(8 + refused.length)
  })

  it('and refuses for a while is left alone as long as it asks, and nothing is asked twice', async () => {
    const refuse = at([2, 3], () => ({
      status: 429,
      headers: { 'retry-after': '20' },
      body: { error: { message: 'slow down' } },
    }))
    await start(protocol, refuse)
    const { job_id: jobId } = await client.drafts.generate(INPUT)
    await service.drain()
    expect(model.asked).toHaveLength(3)
    expect((await client.drafts.job(jobId)).estimated_seconds).toBeGreaterThan(20)
    await service.advance(19_000)
    expect(model.asked).toHaveLength(3)
    await service.advance(2_000)
    expect(model.asked).toHaveLength(4)
    await service.advance(21_000)
    expectGoodDraft(await client.drafts.job(jobId))
    expect(model.asked).toHaveLength(10)
    expect(new Set(model.asked.map(({ prompt }) => prompt)).size).toBe(8)
  })

  it('and always refuses ends in a failure', async () => {
    const job = await write(protocol, () => ({ status: 429, body: { error: { message: 'slow down' } } }))
    await expectFailure(job, 'model_rate_limited')
    expect(model.asked).toHaveLength(8)
  })

  it.each([500, 502, 503, 529])('and answers %i now and then gives a good draft', async (status) => {
    expectGoodDraft(
      await write(
        protocol,
        at([0, 3, 4], () => ({ status, body: '<html>oops</html>' })),
      ),
    )
  })

  it('and always answers 500 ends in a failure', async () => {
    await expectFailure(await write(protocol, () => ({ status: 500, body: {} })), 'model_overloaded')
  })

  it.each<[string, Script]>([
    ['before the status', () => () => {}],
    [
      'within an answer',
      () => (_response, write) => {
        write.start()
        write.text('It begins')
      },
    ],
  ])('and hangs %s ends in a failure when it always does, and each question is counted', async (_where, script) => {
    const job = await write(protocol, script, { AI_TIMEOUT: '200ms' })
    await expectFailure(job, 'model_timeout')
    expect(model.asked).toHaveLength(3)
    // About 3.5 bytes a token; the system prompt is not among what was asked.
    const asked = model.asked.reduce((sum, { prompt }) => sum + Buffer.byteLength(prompt) / 4, 0)
    expect(job.tokens.input).toBeGreaterThan(asked)
  })

  it('and hangs once gives a good draft', async () => {
    expectGoodDraft(
      await write(
        protocol,
        at([1], () => () => {}),
        { AI_TIMEOUT: '1s' },
      ),
    )
    expect(model.asked).toHaveLength(9)
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['reset', (response) => response.socket?.resetAndDestroy()],
    ['closed as if it were the end', (response) => response.end()],
  ])('and is cut off in the middle (%s) is asked again for that part alone', async (_how, cut) => {
    const script = at([2], () => (response, write) => {
      write.start()
      write.text('It begins well, and then')
      setTimeout(() => cut(response), 20)
    })
    const job = await write(protocol, script)
    expectGoodDraft(job)
    expect(job.post?.body.markdown).not.toContain('It begins well, and then')
    expect(model.asked).toHaveLength(9)
  })

  it('and is always cut off ends in a failure', async () => {
    const script: Script = () => (response, write) => {
      write.start()
      write.text('It begins')
      setTimeout(() => response.destroy(), 10)
    }
    await expectFailure(await write(protocol, script), 'model_cut')
  })

  it.each<[string, Script]>([
    [
      'in pieces',
      () => (response, write) => {
        write.start()
        const piece = 'water and more water '.repeat(500)
        const more = () => {
          if (response.destroyed) return
          write.text(piece)
          setImmediate(more)
        }
        more()
      },
    ],
    [
      'at once',
      () => (response, write) => {
        write.start()
        write.text('x'.repeat(10 * 1024 * 1024))
        response.end()
      },
    ],
  ])('and answers without end (%s) is stopped, and ends in a failure', async (_how, script) => {
    await expectFailure(await write(protocol, script), 'model_too_long')
  })

  it('and answers without end is hung up on, or it would go on until AI_TIMEOUT', async () => {
    let connected = 0
    const script: Script = () => (response, write) => {
      connected += 1
      write.start()
      const writing = setInterval(() => write.text('water and more water '.repeat(500)), 10)
      response.once('close', () => {
        clearInterval(writing)
        connected -= 1
      })
    }
    await expectFailure(await write(protocol, script), 'model_too_long')
    await expect.poll(() => connected).toBe(0)
    expect(model.asked.length).toBeGreaterThan(1)
  })

  it('and answers nothing ends in a failure', async () => {
    await expectFailure(await write(protocol, () => ''), 'model_empty')
  })

  it('and declines ends in a failure at once', async () => {
    const script: Script = () => (_response, write) => {
      write.start()
      write.text('I cannot')
      write.end('filter')
    }
    await expectFailure(await write(protocol, script), 'model_refused')
    expect(model.asked).toHaveLength(1)
  })

  it('and runs out of tokens while it thinks is given more room, once and for all', async () => {
    const script: Script = (asked) =>
      Number(asked.body.max_tokens) < 4 * (4 * asked.words + 1_000) &&
      asked.purpose !== 'outline' &&
      asked.purpose !== 'details' &&
      asked.purpose !== 'faq'
        ? (_response, write) => {
            write.start()
            write.text('It')
            write.end('length')
          }
        : undefined
    expectGoodDraft(await write(protocol, script))
    expect(model.asked).toHaveLength(9)
  })

  it.each([
    [401, { error: { message: 'Incorrect API key provided: sk-ant-test' } }, 'model_unauthorized'],
    [404, { error: { message: 'The model does not exist' } }, 'model_not_found'],
    [402, { error: { message: 'Payment required' } }, 'model_quota'],
    [400, { error: { message: 'maximum context length is 512 tokens' } }, 'model_context_too_small'],
    [307, '', 'model_misconfigured'],
  ])('and answers %i ends in a failure that says what to do', async (status, body, code) => {
    const job = await write(protocol, () => ({ status, body, headers: { location: 'http://127.0.0.1:1/' } }))
    await expectFailure(job, code)
    expect(job.error?.message).toMatch(/operator/)
    expect(model.asked.length).toBeLessThanOrEqual(3)
  })

  it('and is a login page ends in a failure', async () => {
    const script: Script = () => ({
      status: 200,
      body: '<html>Log in</html>',
      headers: { 'content-type': 'text/html' },
    })
    await expectFailure(await write(protocol, script), 'model_misconfigured')
    expect(model.asked).toHaveLength(1)
  })

  it('and talks of other things ends in a failure', async () => {
    await expectFailure(await write(protocol, () => 'I would rather talk about the weather.'), 'model_unusable')
  })

  it('and writes hostile HTML gives a draft in which nothing runs', async () => {
    const hostile =
      '<script>alert(1)</script><img src=x onerror=alert(1)><iframe src=https://evil.example></iframe> [x](javascript:alert(1))'
    const job = await write(protocol, (asked) => (isJson(asked) ? undefined : `${hostile}\n\n${answer(asked)}`))
    expect(job.status).toBe('complete')
    expect(job.post?.body.html).not.toMatch(/<(script|img|iframe)|="?javascript:|onerror/i)
    expect(job.warnings.join()).toContain('were removed')
  })
})

describe.runIf(protocolHere === 'openai')('a provider that speaks openai', () => {
  it('and knows the limit of tokens by its newer name only is asked so', async () => {
    const script: Script = ({ body }) =>
      body.max_tokens === undefined
        ? undefined
        : {
            status: 400,
            body: {
              error: {
                message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
                code: 'unsupported_parameter',
              },
            },
          }
    expectGoodDraft(await write('openai', script, { AI_API_KEY: 'sk-test' }))
    expect(model.asked).toHaveLength(9)
    expect(model.asked.at(-1)?.body.max_completion_tokens).toEqual(expect.any(Number))
    expect(model.asked[0]?.headers.authorization).toBe('Bearer sk-test')
  })

  it('and leaves its thinking in the answer is read without it', async () => {
    const script: Script = (asked) => `<think>Let me think about {"title": "no"} and so on.</think>\n${answer(asked)}`
    const job = await write('openai', script)
    expectGoodDraft(job)
    expect(job.post?.body.markdown).not.toContain('Let me think')
  })

  it('and reports no tokens has them estimated', async () => {
    const script: Script = ({ body }) =>
      body.stream_options === undefined
        ? undefined
        : { status: 400, body: { error: { message: 'unknown field: stream_options' } } }
    const job = await write('openai', script)
    expectGoodDraft(job)
    expect(job.tokens.input).toBeGreaterThan(1_000)
    expect(job.tokens.output).toBeGreaterThan(500)
  })

  it('and is not there ends in a failure', async () => {
    model = await startModelServer()
    const { baseUrl } = model
    await model.close()
    service = await startService(writtenBy({ baseUrl }))
    client = await newAccount(service)
    await expectFailure(await writeDraft(service, client, INPUT), 'model_unreachable')
  })

  it('and has no address ends in a failure', async () => {
    model = await startModelServer()
    service = await startService(writtenBy({ baseUrl: 'https://model.example/v1' }))
    client = await newAccount(service)
    await expectFailure(await writeDraft(service, client, INPUT), 'model_unreachable')
  })
})
