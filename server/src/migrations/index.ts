import type { Migration } from 'kysely/migration'
import * as foundation from './2026-11-28-foundation.ts'
import * as postChanges from './2026-12-01-post-changes.ts'
import * as siteTests from './2026-12-02-site-tests.ts'
import * as buildHooks from './2026-12-03-build-hooks.ts'
import * as notifications from './2026-12-04-notifications.ts'
import * as audience from './2026-12-06-audience.ts'
import * as liveAddresses from './2026-12-07-live-addresses.ts'
import * as recovery from './2026-12-08-recovery.ts'
import * as checkedPages from './2026-12-09-checked-pages.ts'
import * as originals from './2026-12-10-originals.ts'
import * as postRevisions from './2026-12-11-post-revisions.ts'
import * as trash from './2026-12-12-trash.ts'
import * as workingCopies from './2026-12-13-working-copies.ts'
import * as media from './2026-12-14-media.ts'
import * as imports from './2026-12-15-imports.ts'
import * as previews from './2026-12-16-previews.ts'
import * as apiTokens from './2026-12-17-api-tokens.ts'
import * as looseFiles from './2026-12-19-loose-files.ts'
import * as importPictures from './2026-12-20-import-pictures.ts'
import * as programsAsAuthors from './2026-12-21-programs-as-authors.ts'
import * as frameworks from './2026-12-22-frameworks.ts'

/** The last migration of the previews. The schema that it left is the foundation's. */
export const LAST_OF_PREVIEWS = '2026-11-30-jobs'

/** Every migration, oldest first by name. Forward only: another migration fixes a mistake. */
export const migrations: Record<string, Migration> = {
  '2026-11-28-foundation': foundation,
  '2026-12-01-post-changes': postChanges,
  '2026-12-02-site-tests': siteTests,
  '2026-12-03-build-hooks': buildHooks,
  '2026-12-04-notifications': notifications,
  '2026-12-06-audience': audience,
  '2026-12-07-live-addresses': liveAddresses,
  '2026-12-08-recovery': recovery,
  '2026-12-09-checked-pages': checkedPages,
  '2026-12-10-originals': originals,
  '2026-12-11-post-revisions': postRevisions,
  '2026-12-12-trash': trash,
  '2026-12-13-working-copies': workingCopies,
  '2026-12-14-media': media,
  '2026-12-15-imports': imports,
  '2026-12-16-previews': previews,
  '2026-12-17-api-tokens': apiTokens,
  '2026-12-19-loose-files': looseFiles,
  '2026-12-20-import-pictures': importPictures,
  '2026-12-21-programs-as-authors': programsAsAuthors,
  '2026-12-22-frameworks': frameworks,
}
