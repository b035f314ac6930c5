/** A PostgreSQL server that wants TLS, with a certificate by an authority of its own, as those of most providers. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { issueCertificate } from '../src/platform/egress/test-certificates.ts'
import { type Env, everything, fill, SECRET_KEY, withService, withServiceProcess } from './support/installation.ts'
import { startOwnPostgres, type TestPostgres } from './support/postgres/server.ts'
import { giveTo, openTmpdir, unprivilegedUser } from './support/postgres/unprivileged.ts'
import { runToEnd } from './support/process.ts'

describe.runIf(inject('database').kind === 'postgres')('a database behind TLS', () => {
  let dir: string
  let server: TestPostgres
  const at = (query: string, host = 'localhost'): Env => {
    const url = new URL(server.url)
    url.hostname = host
    url.search = query
    return { DATABASE_URL: url.href, SECRET_KEY, RATE_LIMIT_AUTH: 'off' }
  }

  beforeAll(async () => {
    const authority = issueCertificate({ name: 'Provider', isAuthority: true })
    const { cert, key } = issueCertificate({ name: 'Database', hosts: ['localhost'], issuer: authority })
    dir = await mkdtemp(join(await openTmpdir(), 'postrider-tls-'))
    await chmod(dir, 0o755)
    const files = { 'authority.pem': authority.cert, 'server.pem': cert, 'server.key': key }
    for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content, { mode: 0o600 })
    await giveTo(
      await unprivilegedUser(),
      Object.keys(files).map((name) => join(dir, name)),
    )
    const settings = { ssl: 'on', ssl_cert_file: join(dir, 'server.pem'), ssl_key_file: join(dir, 'server.key') }
    server = await startOwnPostgres({ settings })
  })
  afterAll(async () => {
    await server.stop()
    await rm(dir, { recursive: true })
  })

  it.each(['sslmode=require', 'sslmode=verify-full', 'ssl=true'])('is not trusted unasked: %s', async (query) => {
    const { code, output } = await runToEnd(at(query))
    expect([code, output]).toEqual([69, expect.stringContaining('add sslrootcert=FILE to DATABASE_URL')])
    expect(output).not.toMatch(/Warning| {4}at /)
  })

  it('is not trusted under another name', async () => {
    const { code, output } = await runToEnd(at(`sslrootcert=${dir}/authority.pem`, '127.0.0.1'))
    expect([code, output]).toEqual([69, expect.stringContaining("does not match certificate's altnames")])
  })

  it('is not looked for without the file that the address names', async () => {
    const { code, output } = await runToEnd(at(`sslrootcert=${dir}/nobody.pem`))
    expect([code, output]).toEqual([78, expect.stringMatching(/DATABASE_URL: cannot be used \(ENOENT.+nobody\.pem/)])
    expect(output).not.toContain('    at ')
  })

  it.each(['sslmode=require&channel_binding=require&sslrootcert=', 'sslrootcert='])(
    'is used over TLS alone: %s',
    async (query) => {
      const env = at(`${query}${dir}/authority.pem`)
      const client = new pg.Client(at(`sslrootcert=${dir}/authority.pem`).DATABASE_URL)
      await client.connect()
      await client.query('drop schema public cascade; create schema public')
      const { contents } = await fill(env)
      expect(await everything(env)).toEqual(contents)
      await withServiceProcess(env, async ({ output }) => {
        const { rows } = await client.query(`
          select ssl, count(*) > 1 as several from pg_stat_ssl join pg_stat_activity using (pid)
          where application_name like 'postrider%' group by ssl
        `)
        expect(rows).toEqual([{ ssl: true, several: true }])
        expect(output()).not.toContain('Warning')
      })
      await client.end()
    },
  )

  it('is used without a certificate that is trusted if the operator says so', async () => {
    await withService(at('sslmode=no-verify'), async ({ url }) => {
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
    })
  })
})
