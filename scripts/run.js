// Starts a TypeScript file of this project: node scripts/run.js FILE [ARGUMENTS]
// Plain JavaScript, so that an old Node gets a sentence to read instead of a syntax error.
import module from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const NEEDED = 26

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  console.error(
    `Postrider needs Node ${NEEDED} or newer; this is ${process.version}.\n` +
      'Normally npm brings it along as the package "node". If its install script was not allowed to run\n' +
      '(ignore-scripts), run "npm rebuild node --ignore-scripts=false" and start through npm: npm start.\n' +
      `Or install Node ${NEEDED} yourself.`,
  )
  process.exit(78)
}

// Keeps compiled code between starts: a second start loads in about half the time. It is kept with the installation, because anybody
// may write to the directory for temporary files, which is Node's choice.
module.enableCompileCache?.(
  process.env.NODE_COMPILE_CACHE ?? fileURLToPath(new URL('../node_modules/.cache/postrider', import.meta.url)),
)

const [, , file, ...rest] = process.argv
process.argv = [process.argv[0], file, ...rest]
await import(pathToFileURL(file).href)
