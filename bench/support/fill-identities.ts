import { DatabaseSync } from 'node:sqlite'

const ROWS_AT_ONCE = 50_000
const NO_HOSTING = JSON.stringify({
  defaultHostingCost: 0,
  defaultHostingPrecedence: 'default',
  serviceHostingCosts: {},
  serviceHostingPrecedences: {},
})

/**
 * Brings an embedded database to so many identities, `user-<n>` with the externalId `user-<n>@bench.example` and one of a
 * hundred attributes, past the server that runs on it. Answers a few hundred of their ids.
 */
export function fillIdentities(databaseFile: string, wanted: number): string[] {
  const db = new DatabaseSync(databaseFile, { timeout: 10_000 })
  try {
    const count = db.prepare('select count(*) as n from identities where name like ?').get('user-%') as { n: number }
    for (let from = count.n; from < wanted; from += ROWS_AT_ONCE)
      insert(db, from, Math.min(from + ROWS_AT_ONCE, wanted))
    db.exec('analyze')
    const rows = db.prepare(`select id from identities where name like 'user-%' limit 500`).all() as { id: string }[]
    return rows.map(({ id }) => id)
  } finally {
    db.close()
  }
}

function insert(db: DatabaseSync, from: number, to: number): void {
  const now = Date.now()
  db.exec('begin immediate')
  db.prepare(
    `with recursive numbers (n) as (select ? union all select n + 1 from numbers where n + 1 < ?)
     insert into identities (id, name, external_id, type_id, is_admin, is_default_admin, auth_policy_id, permissions,
       app_data, hosting, env_info, sdk_info, tags, created_at, updated_at)
     select lower(hex(randomblob(11))), 'user-' || n, 'user-' || n || '@bench.example', 'Default', 0, 0, 'default', '[]',
       '{}', ?, '{}', '{}', '{}', ?, ? from numbers`,
  ).run(from, to, NO_HOSTING, now, now)
  db.prepare(
    `insert into identity_attributes (identity_id, attribute)
     select id, 'group-' || (rowid % 100) from identities where created_at = ? and name like 'user-%'
       and not exists (select 1 from identity_attributes where identity_id = identities.id)`,
  ).run(now)
  db.exec('commit')
}
