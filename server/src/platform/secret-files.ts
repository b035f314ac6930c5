import { readFileSync } from 'node:fs'
import { ConfigError } from './config.ts'
import { messageOf } from './thrown.ts'

type Env = Readonly<Record<string, string | undefined>>

const SECRETS = [
  'AI_API_KEY',
  'DATABASE_URL',
  'MEDIA_S3_SECRET_KEY',
  'METRICS_TOKEN',
  'NEW_SECRET_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'SECRET_KEY',
]

/**
 * The environment, with the secrets that are given as files, as Docker and Kubernetes do: `SECRET_KEY_FILE` names a file that
 * holds `SECRET_KEY`. Surrounding white space is removed. Throws ConfigError with every problem found.
 */
export function readSecretFiles(env: Env): Env {
  const problems: string[] = []
  const given: Record<string, string> = {}
  for (const name of SECRETS) {
    const variable = `${name}_FILE`
    const path = env[variable]?.trim()
    if (path === undefined || path === '') continue
    if (env[name]?.trim()) problems.push(`${variable}: ${name} is set too; set only one of them`)
    else {
      try {
        given[name] = readFileSync(path, 'utf8').trim()
        if (given[name] === '') problems.push(`${variable}: the file ${path} is empty`)
      } catch (error) {
        // The system's message ends with the call, and only sometimes with the path.
        const [reason] = messageOf(error).split(', ')
        problems.push(`${variable}: the file ${path} cannot be read (${reason})`)
      }
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { ...env, ...given }
}
