/**
 * Which passwords are refused because they would be guessed first (decision 0053). There are no rules about their composition.
 *
 * `common-passwords.txt` has the most common passwords of at least 8 characters, in lower case. It leaves out those that repeat a few
 * characters, or run along the alphabet or a keyboard, which are recognised here.
 */
import { readFileSync } from 'node:fs'
import { invalid } from '../platform/errors.ts'
import { normalized } from '../platform/normalize.ts'

const COMMON = `\n${readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')}`

const REPETITION = /^(.{1,5})\1+$/u

const RUNS = [
  '01234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
].flatMap((run) => [run, [...run].reverse().join('')])

/** A shorter name before the @ is too likely to be part of a good password. */
const SHORTEST_NAME = 4

/** Throws `invalid` for `field` when the password is one that is guessed first: common, or the e-mail address, or this service's name. */
export function assertNotGuessable(field: string, password: string, email: string): void {
  const plain = comparable(password)
  if (isCommon(plain))
    throw invalid(field, 'This password is one of the most common ones, which are guessed first. Choose another one.')
  const bare = withoutEnds(plain)
  if (bare === 'postrider')
    throw invalid(field, 'A password must not be the name of this service, with or without digits. Choose another one.')
  const address = comparable(email)
  const name = withoutEnds(address.slice(0, address.lastIndexOf('@')))
  if (plain === address || bare === withoutEnds(address) || (name.length >= SHORTEST_NAME && bare === name))
    throw invalid(field, 'A password must not be your e-mail address, or its name. Choose another one.')
}

function isCommon(plain: string): boolean {
  if (plain.includes('\n')) return false
  return COMMON.includes(`\n${plain}\n`) || REPETITION.test(plain) || RUNS.some((run) => run.includes(plain))
}

function comparable(text: string): string {
  return normalized(text, 'NFKC').toLowerCase()
}

/** Without the digits and signs that people put around a word. */
function withoutEnds(text: string): string {
  return text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
}
