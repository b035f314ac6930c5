import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ConfigError } from './config.ts'
import { readSecretFiles } from './secret-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'postrider-secrets-'))
afterAll(() => rmSync(directory, { recursive: true }))

function fileWith(name: string, content: string): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

it('takes secrets from files, without the line break at their end', () => {
  const env = {
    PORT: '4000',
    SECRET_KEY_FILE: fileWith('key', 'a secret key, long enough for this\n'),
    DATABASE_URL_FILE: fileWith('url', ' postgres://db.example/posts\r\n'),
    METRICS_TOKEN: 'given as it is',
    AI_API_KEY_FILE: ' ',
  }
  expect(readSecretFiles(env)).toMatchObject({
    PORT: '4000',
    SECRET_KEY: 'a secret key, long enough for this',
    DATABASE_URL: 'postgres://db.example/posts',
    METRICS_TOKEN: 'given as it is',
  })
})

it('names every variable whose file is of no use, and shows no secret', () => {
  const read = () =>
    readSecretFiles({
      SECRET_KEY: 'hunter2',
      SECRET_KEY_FILE: fileWith('both', 'hunter3'),
      METRICS_TOKEN_FILE: fileWith('empty', '\n'),
      AI_API_KEY_FILE: join(directory, 'missing'),
      DATABASE_URL_FILE: directory,
    })
  expect(read).toThrow(ConfigError)
  for (const problem of [
    /SECRET_KEY_FILE: SECRET_KEY is set too/,
    /METRICS_TOKEN_FILE: the file \S+ is empty/,
    /AI_API_KEY_FILE: the file \S+missing cannot be read \(ENOENT: no such file or directory\)/,
    /DATABASE_URL_FILE: the file \S+postrider-secrets-\w+ cannot be read \(EISDIR: illegal operation on a directory\)/,
  ])
    expect(read).toThrow(problem)
  expect(read).not.toThrow(/hunter/)
})
