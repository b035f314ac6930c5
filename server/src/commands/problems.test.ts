import { describe, expect, it } from 'vitest'
import { explainProblem } from './problems.ts'

const failure = (facts: object) => Object.assign(new Error('it failed'), facts)

describe('explainProblem', () => {
  it.each([
    [{ syscall: 'listen', code: 'EADDRINUSE', port: 80 }, 69, 'Port 80 is already in use'],
    [{ syscall: 'listen', code: 'EACCES', port: 80 }, 78, 'may not listen on port 80'],
    [{ syscall: 'listen', code: 'EADDRNOTAVAIL', address: '10.99.99.99' }, 78, '10.99.99.99 is not an address'],
    [
      { syscall: 'getaddrinfo', code: 'ENOTFOUND', hostname: 'localhost:3000' },
      78,
      '"localhost:3000" cannot be resolved',
    ],
    [{ code: '42P07' }, 69, "not Postrider's"],
    [{ code: '25006' }, 69, 'is read-only'],
    [{ code: 'XX001' }, 69, 'is damaged (it failed)'],
    [{ code: '53100' }, 69, 'disk of the database is full'],
    [{ code: '57P01' }, 69, 'does not answer (it failed)'],
  ])('%j', (facts, exitCode, words) => {
    const expected = { exitCode, message: expect.stringContaining(words) }
    expect(explainProblem(failure(facts))).toMatchObject(expected)
    expect(explainProblem(new Error('outer', { cause: failure(facts) }))).toMatchObject(expected)
  })

  it('leaves mistakes of ours alone', () => {
    expect(explainProblem(new Error('a mistake'))).toBeUndefined()
  })
})
