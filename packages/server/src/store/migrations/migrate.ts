import { type Kysely, sql } from 'kysely'
import { StartupError } from '../../platform/startup-error.ts'
import type { Database } from '../schema.ts'
import { initial } from './initial/initial.ts'
import type { ColumnTypes, Migration } from './migration.ts'
import { MIGRATIONS } from './migrations.ts'
import { isUnreleasedSchema } from './unreleased-steps.ts'

export const SCHEMA_VERSION = versionOf(MIGRATIONS)

/**
 * Brings the schema up to date inside the caller's transaction. Throws a StartupError for a database of a newer release or of an
 * unreleased build.
 */
export async function migrate(
  db: Kysely<Database>,
  types: ColumnTypes,
  now: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await sql`create table if not exists schema_migrations (
    version integer primary key, name text not null, applied_at ${sql.raw(types.int)} not null)`.execute(db)
  const current = await readVersion(db, now, migrations)
  for (const migration of migrations.filter(({ version }) => version > current)) {
    for (const statement of migration.statements(types)) await sql.raw(statement).execute(db)
    await recordStep(db, migration, now)
  }
}

/** The version of the last applied step. */
async function readVersion(db: Kysely<Database>, now: number, migrations: readonly Migration[]): Promise<number> {
  const applied = await db.selectFrom('schema_migrations').select(['version', 'name']).orderBy('version').execute()
  if (isUnreleasedSchema(applied)) {
    await db.deleteFrom('schema_migrations').execute()
    await recordStep(db, initial, now)
    return initial.version
  }
  for (const { version, name } of applied) {
    const known = migrations.find((migration) => migration.version === version)
    if (known && known.name !== name) {
      throw new StartupError(
        `the database was written by an unreleased build: its schema step ${version} is ${name}, not ${known.name}`,
        'export with the build that wrote it and apply the file with this one, or start with an empty database',
      )
    }
  }
  const current = applied.at(-1)?.version ?? 0
  if (current > versionOf(migrations)) {
    throw new StartupError(
      `the database has schema version ${current}, this release knows ${versionOf(migrations)}`,
      'start the newer release that wrote it, or restore a backup made by this one',
    )
  }
  return current
}

function versionOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0
}

async function recordStep(db: Kysely<Database>, { version, name }: Migration, now: number): Promise<void> {
  await db.insertInto('schema_migrations').values({ version, name, applied_at: now }).execute()
}
