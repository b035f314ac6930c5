/** `npm run build -w sdk`: the package in sdk/dist, ready for `npm publish ./sdk/dist`. */
import { fileURLToPath } from 'node:url'
import { buildPackage } from './package.ts'

await buildPackage(fileURLToPath(new URL('../dist', import.meta.url)))
