import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { parseDatabaseUrl, withoutSecrets } from './database-url.ts'

const odd = 'postgres://ada%40home:p%25a%2Fs%3Fs@db.example.com:6000/a%20b'

describe('parseDatabaseUrl', () => {
  it.each([
    'postgres://localhost/x',
    'postgresql:///x?host=/var/run/postgresql',
    'postgres://ada:secret@/x?host=/var/run/postgresql',
    odd,
    `${odd}?sslmode=disable`,
    `${odd}?sslmode=no-verify`,
    `${odd}?sslmode=verify-full&sslrootcert=/etc/ca.pem`,
  ])('leaves %s as it is', (url) => {
    expect(parseDatabaseUrl(url)).toBe(url)
  })

  it.each(['require', 'verify-ca'])('has the name of the server verified for sslmode=%s', (mode) => {
    const { user, password, host, port, database, ssl } = new pg.Client(
      parseDatabaseUrl(`${odd}?sslmode=${mode}&channel_binding=require`),
    )
    expect({ user, password, host, port, database, ssl }).toEqual({
      user: 'ada@home',
      password: 'p%a/s?s',
      host: 'db.example.com',
      port: 6000,
      database: 'a b',
      ssl: {},
    })
  })

  it.each(['mysql://localhost/x', 'localhost:5432', 'postgres://a b/'])('refuses %s', (url) => {
    expect(() => parseDatabaseUrl(url)).toThrow('must look like postgres://')
  })

  it('refuses two of them, of which the driver would take the last', () => {
    expect(() => parseDatabaseUrl(`${odd}?sslmode=verify-full&sslmode=disable`)).toThrow('sslmode is given twice')
  })

  it.each(['prefer', 'allow', 'Require', 'constructor', ''])('refuses sslmode=%s', (mode) => {
    expect(() => parseDatabaseUrl(`${odd}?sslmode=${mode}`)).toThrow(`sslmode "${mode}" is not one of disable, `)
  })

  it('keeps a socket a socket', () => {
    const url = parseDatabaseUrl('postgres://ada:secret@/x?host=/run/postgresql&sslmode=require')
    expect(url).toBe('postgres://ada:secret@/x?host=%2Frun%2Fpostgresql&sslmode=verify-full')
    expect(new pg.Client(url)).toMatchObject({ user: 'ada', host: '/run/postgresql', database: 'x' })
    expect(withoutSecrets(url)).toBe('postgres://ada:***@/x')
  })
})
