import { sql } from 'kysely'
import type { Store } from '../store.ts'

/** The number of entities of each kind; of sessions, only the live ones. */
export async function loadSummary({ db }: Pick<Store, 'db'>, now: number) {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*) from api_sessions where expires_at > ${now}) as "apiSessions",
    (select count(*) from api_session_certificates) as "apiSessionCertificates",
    (select count(*) from enrollments) as "enrollments",
    (select count(*) from totps) as "mfas",
    (select count(*) from auth_policies) as "authPolicies",
    (select total from row_counts where table_name = 'authenticators') as "authenticators",
    (select count(*) from cas) as "cas",
    (select count(*) from ext_jwt_signers) as "externalJwtSigners",
    (select total from row_counts where table_name = 'identities') as "identities"`.execute(db)
  return rows[0] ?? {}
}

/** Rejects when the store cannot run a query. */
export async function checkRead(db: Store['db']): Promise<void> {
  await sql`select 1`.execute(db)
}
