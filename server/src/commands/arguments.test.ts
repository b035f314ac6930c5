import { describe, expect, it } from 'vitest'
import { distance, readArguments } from './arguments.ts'
import { UsageError } from './command.ts'
import { commands } from './index.ts'

const read = (line: string) => readArguments(line.split(' ').filter(Boolean), commands)
const refusal = (line: string) => {
  try {
    read(line)
  } catch (error) {
    if (error instanceof UsageError) return error.message
  }
  return 'no refusal'
}

describe('readArguments', () => {
  it('serves without a command', () => {
    expect(read('')).toMatchObject({ kind: 'run', command: { name: 'serve' } })
  })

  it('reads commands of one word and of two, operands and options', () => {
    expect(read('plan set ada@example.com pro')).toMatchObject({
      command: { name: 'plan set' },
      operands: ['ada@example.com', 'pro'],
    })
    expect(read('backup --force b.gz')).toMatchObject({ operands: ['b.gz'], options: { force: true } })
    expect(read('keys rotate --new-key-env NEXT')).toMatchObject({ options: { 'new-key-env': 'NEXT' } })
  })

  it.each(['help', '--help', '-h'])('gives the overview for %s', (word) => {
    expect(read(word)).toEqual({ kind: 'overview' })
  })

  it.each(['help backup', 'backup --help', 'backup x -h', '--help backup'])('gives help about one for %s', (line) => {
    expect(read(line)).toMatchObject({ kind: 'help', command: { name: 'backup' } })
  })

  it.each([
    ['bakcup', 'Did you mean: npm run postrider -- backup?'],
    ['help retsore', 'Did you mean: npm run postrider -- restore?'],
    ['plan', 'Did you mean: npm run postrider -- plan set?'],
    ['plan get', 'There is no command "plan get". Did you mean: npm run postrider -- plan set?'],
    ['keys rotat', 'Did you mean: npm run postrider -- keys rotate?'],
    ['xyzzy', 'There is no command "xyzzy". All commands: npm run postrider -- help'],
    ['--port 80', 'There is no option --port'],
    ['backup', 'FILE is missing. Try: npm run postrider -- help backup'],
    ['restore a b', '"b" is one argument too many'],
    ['backup a --forse', "Unknown option '--forse'"],
    ['keys rotate --new-key-env', 'argument missing'],
  ])('refuses "%s" and says what to do', (line, message) => {
    expect(refusal(line)).toContain(message)
  })
})

describe('distance', () => {
  it.each([
    ['backup', 'backup', 0],
    ['bakcup', 'backup', 2],
    ['', 'serve', 5],
    ['migrat', 'migrate', 1],
  ])('of %s and %s is %d', (a, b, steps) => {
    expect(distance(a, b)).toBe(steps)
  })
})
