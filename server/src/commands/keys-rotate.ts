/** Replaces the secret key and seals everything with the new one. platform/secret-key.ts explains how it survives interruption. */
import { endAllApiTokens } from '../accounts/index.ts'
import { resealSecrets } from '../engine/index.ts'
import { resealChannels } from '../notifications/index.ts'
import { type Config, parseConfig, SHORTEST_KEY } from '../platform/config.ts'
import { deriveKeys, SealError } from '../platform/crypto.ts'
import type { Database } from '../platform/db/database.ts'
import { resealAnswers } from '../platform/idempotency/reseal.ts'
import {
  adoptStagedKey,
  assertSameKey,
  createSecretKey,
  keepOldKey,
  keyFits,
  loadSecretKey,
  replaceFingerprint,
  stageSecretKey,
  storedFingerprint,
} from '../platform/secret-key.ts'
import { resealApiKeys } from '../sites/index.ts'
import { assertAlone } from './alone.ts'
import { CommandError, EXIT, type Invocation, type Run, UsageError } from './command.ts'
import { withCurrentDatabase } from './database.ts'
import { checkSealed } from './sealed.ts'

const NEXT_KEY = 'NEW_SECRET_KEY'

/** Rotates the key file of an embedded database, or from SECRET_KEY to the next key in the environment. */
export const run: Run = async (invocation) => {
  const { options, env, terminal } = invocation
  const config = parseConfig(env)
  const next = nextKey(config, invocation)
  const said = await withCurrentDatabase(config, async (db) => {
    const stored = await storedFingerprint(db.root)
    if (stored === undefined)
      throw new CommandError('The database has not been used with a secret key yet: there is nothing to rotate.')
    if (next.variable !== undefined && keyFits(next.key, stored))
      return [
        `The key has already been rotated. Start the service with SECRET_KEY set to the value of ${next.variable}.`,
      ]
    const oldKey = await loadSecretKey(config, db)
    await assertSameKey(db, deriveKeys(oldKey))
    const rotated = await rotate(db, config, { oldKey, ...next, force: options.force === true })
    const ended = `Tokens of programs that have ended with the old key: ${rotated.tokens}. Make new ones on the account page.`
    return [
      `Sites whose API key and webhook secret are encrypted with the new key: ${rotated.sites}. They need no change.`,
      ...(rotated.tokens > 0 ? [ended] : []),
      ...rotated.next,
    ]
  })
  for (const line of [...said, 'Everyone has to log in again: tokens signed with the old key are refused.'])
    terminal.print(line)
  return EXIT.ok
}

/** The key to rotate to; `variable` is where it comes from, undefined when it was generated. */
function nextKey(config: Config, { options, env }: Invocation): { key: string; variable?: string } {
  const given = options['new-key-env']
  if (config.secretKey === undefined) {
    if (given !== undefined)
      throw new UsageError(
        '--new-key-env works only with SECRET_KEY. Here the key is in a file, and the next one is generated.',
      )
    return { key: createSecretKey() }
  }
  const variable = typeof given === 'string' ? given : NEXT_KEY
  const key = env[variable]?.trim() ?? ''
  if (key.length < SHORTEST_KEY)
    throw new CommandError(
      `${variable}: the next key is missing or shorter than ${SHORTEST_KEY} characters. Make one with \`openssl rand -base64 32\`, set ${variable} to it beside SECRET_KEY, and run this again.`,
      EXIT.config,
    )
  if (key === config.secretKey) throw new CommandError(`${variable} is the same key as SECRET_KEY.`, EXIT.config)
  return { key, variable }
}

type Rotation = { oldKey: string; key: string; variable?: string; force: boolean }

async function rotate(
  db: Database,
  config: Config,
  { oldKey, key, variable, force }: Rotation,
): Promise<Resealed & { next: string[] }> {
  const generated = variable === undefined
  const kept = generated ? await keepOldKey(config.dataDir, oldKey) : undefined
  if (generated) await stageSecretKey(config.dataDir, key)
  const resealed = await reseal(db, oldKey, key, force).catch(async (error) => {
    if (!(error instanceof SealError)) throw error
    const { problem } = await checkSealed(db.root, deriveKeys(oldKey))
    throw new CommandError(`Nothing was changed: ${problem ?? error.message}. Then run this again.`)
  })
  if (generated) await adoptStagedKey(config.dataDir)
  return {
    ...resealed,
    next:
      kept === undefined
        ? [`Now set SECRET_KEY to the value of ${variable} for every process, and start them.`]
        : [`The old key is kept in ${kept}: backups made until now need it. Delete it when those backups are gone.`],
  }
}

/** How many sites have new secrets, and how many tokens could not be kept: only their HMAC is known. */
type Resealed = { sites: number; tokens: number }

async function reseal(db: Database, oldKey: string, key: string, force: boolean): Promise<Resealed> {
  const [from, to] = [deriveKeys(oldKey), deriveKeys(key)]
  return db.tx(async (tx) => {
    if (!force) await assertAlone(db, tx, 'They know only the old key (--force rotates anyway)')
    const sites = await resealApiKeys(tx, from, to)
    await resealSecrets(tx, from, to)
    await resealAnswers(tx, from, to)
    await resealChannels(tx, from, to)
    await replaceFingerprint(tx, to)
    return { sites, tokens: await endAllApiTokens(tx) }
  })
}
