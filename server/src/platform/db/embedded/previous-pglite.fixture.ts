/** `NODE_OPTIONS='--import previous-pglite.fixture.ts'`: a process, its threads and its children run on the previous version of PGlite. */
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier.replace(/^@electric-sql\/pglite(?=$|\/)/, 'pglite-previous'), context),
})
