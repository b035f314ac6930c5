/** A connection pooler in front of the database: one that keeps sessions apart works, one that does not is refused at the start. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { runCommand } from './support/command.ts'
import { createGround, type Env, everything, fill, type Ground } from './support/installation.ts'
import { hasPooler, type Pooler, startPooler } from './support/pooler.ts'

describe.runIf(inject('database').kind === 'postgres' && hasPooler)('behind a connection pooler', () => {
  let ground: Ground
  let env: Env
  let pooler: Pooler

  const behind = async (settings: Record<string, string>): Promise<Env> => {
    pooler = await startPooler(env.DATABASE_URL ?? '', settings)
    return { ...env, DATABASE_URL: pooler.url }
  }

  beforeAll(async () => {
    ground = await createGround()
    env = await ground.emptyEnv()
  })
  afterEach(() => pooler.stop())
  afterAll(() => ground.remove())

  it.each([
    ['transactions', { pool_mode: 'transaction' }],
    ['transactions, in turn', { pool_mode: 'transaction', server_round_robin: '1', min_pool_size: '2' }],
    ['statements', { pool_mode: 'statement' }],
  ])('of %s, the service and its commands say which address to use', async (_of, settings) => {
    const pooled = await behind(settings)
    for (const args of [[], ['migrate'], ['doctor']]) {
      const { code, output } = await runCommand(pooled, ...args)
      expect(code).toBe(args[0] === 'doctor' ? 1 : 78)
      expect(output).toContain('Use the address of the database server itself')
      expect(output).not.toContain('    at ')
    }
  })

  it('of sessions that knows only some settings, the service says which to add', async () => {
    const pooled = await behind({ pool_mode: 'session', ignore_startup_parameters: '' })
    const { code, output } = await runCommand(pooled)
    expect([code, output]).toEqual([69, expect.stringContaining('in its ignore_startup_parameters')])
  })

  it('of sessions, all is as without one', async () => {
    const pooled = await behind({ pool_mode: 'session', default_pool_size: '50' })
    const { contents } = await fill(pooled)
    expect(await everything(env)).toEqual(contents)
  })
})
