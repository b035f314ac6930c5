import type { Migration } from 'kysely/migration'
import * as foundation from './2026-11-21-foundation.ts'
import * as limits from './2026-11-21-limits.ts'
import * as outcomes from './2026-11-21-outcomes.ts'

/** Every migration, oldest first by name. Forward only: a mistake is mended by another migration. */
export const migrations: Record<string, Migration> = {
  '2026-11-21-foundation': foundation,
  '2026-11-21-limits': limits,
  '2026-11-21-outcomes': outcomes,
}
