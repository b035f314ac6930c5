import type { Migration } from 'kysely/migration'
import * as foundation from './2026-11-21-foundation.ts'

/** Every migration, oldest first by name. Forward only: a mistake is mended by another migration. */
export const migrations: Record<string, Migration> = {
  '2026-11-21-foundation': foundation,
}
