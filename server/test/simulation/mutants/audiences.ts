/** Posts that are for some sites, and for others later. */
import type { Mutant } from '../mutants.ts'

export const AUDIENCES: readonly Mutant[] = [
  {
    name: 'who leaves an audience is not told',
    file: 'posts/publish.ts',
    from: "    { kind: 'post.deleted', siteIds: told, slug: was.slug },\n",
    to: '',
  },
  {
    name: 'who comes into an audience is sent nothing',
    file: 'posts/publish.ts',
    from: "    { kind: 'post.published', siteIds: coming },\n",
    to: '',
  },
  {
    name: 'what is on its way to who leaves an audience goes on',
    file: 'posts/publish.ts',
    from: 'const told = await withdraw(ctx, tx, { accountId, postId, siteIds: leaving }, now)',
    to: 'const told = leaving',
  },
]
