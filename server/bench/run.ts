/** The benches, by name: `npm run bench -- NAME [OPTIONS]`. Each prints its figures and writes them to results/NAME.md. */
const BENCHES: Record<string, () => Promise<{ run(args: string[]): Promise<void> }>> = {
  deliver: () => import('./deliver/deliver.ts'),
  distance: () => import('./distance.ts'),
  due: () => import('./due.ts'),
  history: () => import('./history.ts'),
  isolation: () => import('./isolation.ts'),
  latency: () => import('./latency.ts'),
  memory: () => import('./memory.ts'),
  pull: () => import('./pull/pull.ts'),
}

const [name = '', ...args] = process.argv.slice(2)
const load = BENCHES[name]
if (load === undefined) {
  console.error(`Usage: npm run bench -- NAME [OPTIONS]; NAME is one of ${Object.keys(BENCHES).join(', ')}`)
  process.exit(64)
}
await (await load()).run(args)
process.exit(0)
