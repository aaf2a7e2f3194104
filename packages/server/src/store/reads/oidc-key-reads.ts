import type { Kysely } from 'kysely'
import type { OidcKeyRow } from '../oidc-schema.ts'
import type { Database } from '../schema.ts'

/** All signing keys, the one that is or becomes active last first. */
export function loadOidcKeys(db: Kysely<Database>): Promise<OidcKeyRow[]> {
  return db.selectFrom('oidc_keys').selectAll().orderBy('active_at', 'desc').orderBy('kid').execute()
}
