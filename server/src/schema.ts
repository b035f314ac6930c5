/** The schema of this version. */
import { doWorkersLive } from './engine/index.ts'
import { migrations } from './migrations/index.ts'
import type { Database } from './platform/db/database.ts'
import { isOfPreview, type Migrations, migrate, SchemaError, schemaState } from './platform/db/migrate.ts'
import type { OnStep } from './platform/db/open.ts'

/**
 * Brings the schema up to date; returns the names of the migrations that ran (see `migrate`). Throws SchemaError while workers of an older version live:
 * they would go on writing for the older schema. A worker that lives while the schema is behind is an older one: those of this
 * version join after the upgrade. So workers are looked for first, then the schema.
 */
export async function upgrade(db: Database, onStep?: OnStep, known: Migrations = migrations): Promise<string[]> {
  if (db.kind === 'postgres' && (await doWorkersLive(db.root)) && (await isBehind(db, known)))
    throw new SchemaError(
      'Workers of an older version of Postrider run on this database, whose schema this version has to change. Nothing was changed. Stop every process, then start this version.',
    )
  return migrate(db, known, onStep)
}

/** Whether the schema is one of an older version. */
async function isBehind(db: Database, known: Migrations): Promise<boolean> {
  const schema = await schemaState(db.root, known)
  return schema.applied.length > 0 && schema.pending.length > 0 && !isOfPreview(schema)
}
