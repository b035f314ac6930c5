import { expect, it } from 'vitest'
import { reportOf } from './report.ts'

const nothing = { store: null, previews: false, problem: null }

it.each([
  ['{"ok":true,"store":"files"}', { ...nothing, store: 'files' }],
  ['{"ok":true,"store":"files","previews":true}', { ...nothing, store: 'files', previews: true }],
  ['{"ok":true,"previews":"yes"}', nothing],
  ['{"ok":true}', nothing],
  ['{"ok":false,"message":"The disk is\\u0000 full."}', { ...nothing, problem: 'The disk is  full.' }],
  ['{"ok":false,"store":"files"}', nothing],
  ['{"store":"files","message":"fine"}', nothing],
  ['{"ok":true,"store":["files"]}', nothing],
  [`{"ok":true,"store":"${'x'.repeat(61)}"}`, nothing],
  [`{"ok":true,"store":"files","more":"${'x'.repeat(4_096)}"}`, nothing],
  ['["ok"]', nothing],
  ['null', nothing],
  ['OK', nothing],
  ['', nothing],
])('a receiver that answers %.60s reports %j', (text, report) => {
  expect(reportOf(Buffer.from(text))).toEqual(report)
})
