/** Sites that come back by themselves: how carefully they are sent what failed, and whether they are at all. */
import type { Mutant } from '../mutants.ts'

export const RECOVERY: readonly Mutant[] = [
  {
    name: 'a recovery sends everything at once',
    file: 'deliveries/recovery.ts',
    from: 'here.isDebounced || total >= careful ? MOST_REQUEUED : 1',
    to: 'MOST_REQUEUED',
  },
  {
    name: 'a recovery goes on although the site refuses',
    file: 'deliveries/recovery.ts',
    from: "  if (state === 'refused') return 'refused'\n",
    to: '',
  },
  {
    name: 'a recovery does not pause between two deliveries',
    file: 'deliveries/recovery.ts',
    from: 'return { retryAfterMs: everyMs }',
    to: 'return { retryAfterMs: 1 }',
  },
  {
    name: 'nobody asks whether a site has recovered',
    file: 'deliveries/recovery.ts',
    from: 'await askForProbe(ctx, tx, site, probeMs)\n      await beginRecovery',
    to: 'void 0\n      await beginRecovery',
  },
]
