/**
 * Lints the API's document with Spectral (its OpenAPI rules) and Redocly (its recommended rules). Any finding fails.
 * Both work offline: Spectral is a library, and Redocly's command line is told neither to report its use nor to look for
 * newer versions.
 */
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

const DOCUMENT = fileURLToPath(new URL('../openapi/openapi.json', import.meta.url))

/** The specification has both, and they cannot be mistaken: an id is a UUID, and "generate" is none. */
const KNOWN_PATHS = 'two ambiguous paths: `/api/posts/{id}/publish` and `/api/posts/generate/{job_id}`'

async function spectralFindings(): Promise<string[]> {
  const linter = new spectral.Spectral()
  const rules = rulesets.oas as RulesetDefinition // its inferred type lacks what the definition's type asks for
  linter.setRuleset({ extends: [[rules, 'recommended']] })
  const findings = await linter.run(JSON.parse(await readFile(DOCUMENT, 'utf8')))
  return findings.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`)
}

function redoclyFindings(): string[] {
  const cli = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'))
  const { stdout, stderr, error } = spawnSync(
    process.execPath,
    [cli, 'lint', DOCUMENT, '--extends=recommended', '--format=json'],
    {
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  )
  if (error !== undefined) throw error
  const start = stdout.indexOf('{')
  if (start === -1) throw new Error(`Redocly says nothing that can be read:\n${stderr}`)
  const { problems } = JSON.parse(stdout.slice(start)) as {
    problems: Array<{ ruleId: string; message: string; location: Array<{ pointer?: string }> }>
  }
  return problems
    .filter(({ message }) => !message.includes(KNOWN_PATHS))
    .map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
}

const findings = [
  ...(await spectralFindings()).map((line) => `Spectral: ${line}`),
  ...redoclyFindings().map((line) => `Redocly: ${line}`),
]
if (findings.length > 0) {
  console.error(`The API's document is not clean:\n${findings.join('\n')}`)
  process.exit(1)
}
console.log("Spectral and Redocly have nothing to say about the API's document.")
