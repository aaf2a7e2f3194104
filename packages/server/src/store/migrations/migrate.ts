import { type Kysely, sql } from 'kysely'
import { StartupError } from '../../platform/startup-error.ts'
import type { Database } from '../schema.ts'
import { start } from './0001-start.ts'
import { signerKeySets } from './0002-signer-key-sets.ts'
import { authDecisions } from './0003-auth-decisions.ts'
import { certificateAuthenticators } from './0004-certificate-authenticators.ts'
import { listCounts } from './0005-list-counts.ts'
import { changeLogHashes } from './0006-change-log-hashes.ts'
import { hosted } from './0007-hosted.ts'
import { sessionCertificates } from './0008-session-certificates.ts'
import { totps } from './0009-totps.ts'
import { enrollments } from './0010-enrollments.ts'
import { sessionCounts } from './0011-session-counts.ts'
import { startedSessions } from './0012-started-sessions.ts'
import { filedSessions } from './0013-filed-sessions.ts'
import type { ColumnTypes, Migration } from './migration.ts'

/** Every step of the schema, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  start,
  signerKeySets,
  authDecisions,
  certificateAuthenticators,
  listCounts,
  changeLogHashes,
  hosted,
  sessionCertificates,
  totps,
  enrollments,
  sessionCounts,
  startedSessions,
  filedSessions,
]

export const SCHEMA_VERSION = MIGRATIONS.length

/** Brings the schema up to date inside the caller's transaction; refuses a database that a newer release has written. */
export async function migrate(db: Kysely<Database>, types: ColumnTypes, now: number): Promise<void> {
  await sql`create table if not exists schema_migrations (
    version integer primary key, name text not null, applied_at ${sql.raw(types.int)} not null)`.execute(db)
  const applied = await db.selectFrom('schema_migrations').select('version').orderBy('version').execute()
  const current = applied.at(-1)?.version ?? 0
  if (current > SCHEMA_VERSION) {
    throw new StartupError(
      `the database has schema version ${current}, this release knows ${SCHEMA_VERSION}`,
      'start the newer release that wrote it, or restore a backup made by this one',
    )
  }
  for (const migration of MIGRATIONS.slice(current)) {
    for (const statement of migration.statements(types)) await sql.raw(statement).execute(db)
    await db
      .insertInto('schema_migrations')
      .values({ version: migration.version, name: migration.name, applied_at: now })
      .execute()
  }
}
