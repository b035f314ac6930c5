import { verifyWebhook } from '@postrider/sdk/webhooks'
import { describe, expect, it } from 'vitest'
import { readContract } from '../test/support/contract.ts'
import { webhooks } from './deliveries/index.ts'
import { createApiDocument } from './openapi.ts'
import { convertBody } from './posts/body/convert.ts'
import { examplePost } from './posts/index.ts'
import { endpoints } from './routes.ts'
import { looksLikeApiKey } from './sites/api-key.ts'
import { exampleSecrets } from './sites/examples.ts'
import { exampleSecret } from './sites/index.ts'

const exampleOf = (schema: object | undefined) => String(schema !== undefined && 'example' in schema && schema.example)

describe('the examples of the document', () => {
  it('stand at every body, and are what its schema says, with nothing beside', () => {
    expect(readContract().examples()).toEqual([])
  })

  it.each(endpoints.flatMap((one) => (one.body === undefined ? [] : [{ name: one.name, one }])))(
    'of what $name is sent pass its own checks',
    ({ one }) => {
      for (const [name, body] of Object.entries(one.bodyExamples ?? {}))
        expect([name, one.body?.safeParse(body).error?.issues]).toEqual([name, undefined])
    },
  )

  it.each(webhooks.map((one) => ({ name: one.name, one })))('of $name are signed as they stand', async ({ one }) => {
    const parameters = createApiDocument('/').webhooks?.[one.name]?.post?.parameters ?? []
    const headers = Object.fromEntries(
      parameters.map((parameter) => ('schema' in parameter ? [parameter.name, exampleOf(parameter.schema)] : [])),
    )
    const body = JSON.stringify(one.example)
    const now = examplePost.published_at.getTime()
    expect((await verifyWebhook({ body, headers, secret: exampleSecret, now })).event).toEqual(one.example)
  })

  it('show a body whose forms belong together, and a key that has the form of one', () => {
    const { markdown, ...derived } = examplePost.body
    expect(convertBody({ markdown })).toMatchObject(derived)
    expect(looksLikeApiKey(exampleSecrets.api_key)).toBe(true)
  })
})
