/** The thread that converter.ts asks: converts one body at a time. */
import { parentPort } from 'node:worker_threads'
import { type BodyInput, conversionOf } from './convert.ts'

parentPort?.on('message', (input: BodyInput) => parentPort?.postMessage(conversionOf(input)))
