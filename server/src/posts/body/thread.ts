/** The thread that converter.ts asks: converts one body at a time. */
import { parentPort } from 'node:worker_threads'
import { type BodyInput, type BodyRules, conversionOf } from './convert.ts'

parentPort?.on('message', ([input, rules]: [BodyInput, BodyRules]) =>
  parentPort?.postMessage(conversionOf(input, rules)),
)
