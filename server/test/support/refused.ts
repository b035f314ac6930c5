import { sql } from 'kysely'
import type { Database } from '../../src/platform/db/database.ts'

/** From now on the database refuses to record results of this site's deliveries, with this SQLSTATE, until the returned function is called. */
export async function refuseResults({ root }: Database, siteId: string, errcode: string): Promise<() => Promise<void>> {
  await sql`
    create function refuse() returns trigger language plpgsql as ${sql.lit(`
      begin
        if new.site_id = '${siteId}' then raise exception 'refused' using errcode = '${errcode}'; end if;
        return new;
      end`)}
  `.execute(root)
  await sql`create trigger refuse before update on deliveries for each row execute function refuse()`.execute(root)
  return async () => {
    await sql`drop trigger refuse on deliveries`.execute(root)
    await sql`drop function refuse`.execute(root)
  }
}
