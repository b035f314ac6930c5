import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { curlOf } from './curl.ts'

/** Runs the command in a shell that records what curl would get. */
function run(command: string): { args: string[]; body: string } {
  const script = `curl() { printf '%s\\0' "$@" "$(cat; echo .)"; }\n${command}`
  const parts = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
  return { args: parts.slice(0, -1), body: parts.at(-1)?.replace(/\.\n?$/, '') ?? '' }
}

it.each([
  ['an ordinary one', { name: 'value' }, '{"title":"Hello"}'],
  ['quotes, dollars and line ends', { 'x-a': `it's "$HOME" \`id\`` }, `'; rm -rf / #'\n$(id)\\n%s%d | \\\n\t"@file"\n`],
  ['what begins like an option', { 'x-b': '-o /tmp/x' }, '-n @/etc/passwd'],
  ['the longest body', { 'x-c': 'long' }, 'a’b '.repeat(300_000)],
])('gives curl the request as it is: %s', (_name, headers, body) => {
  const request = { method: 'POST', url: "https://blog.example/hook?a='b'&c=$d", headers, body }
  const given = body.length > 100_000 ? runFromFile(curlOf(request)) : run(curlOf(request))
  const [[name = '', value = ''] = []] = Object.entries(headers)
  expect(given.args).toEqual(['-i', '-X', 'POST', request.url, '-H', `${name}: ${value}`, '--data-binary', '@-'])
  expect(given.body).toBe(body)
})

/** For a command longer than an argument may be: people paste it into a terminal, the test passes it on the shell's input. */
function runFromFile(command: string): { args: string[]; body: string } {
  const input = `curl() { printf '%s\\0' "$@"; cat; }\n${command}\n`
  const parts = execFileSync('/bin/sh', ['-s'], { encoding: 'utf8', input, maxBuffer: 2 ** 24 }).split('\0')
  return { args: parts.slice(0, -1), body: parts.at(-1) ?? '' }
}
