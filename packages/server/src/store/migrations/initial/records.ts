import type { ColumnTypes } from '../migration.ts'

/** Settings, the change log, decisions on logins, and row counts of large tables. */
export function records({ text, int, sequence }: ColumnTypes): string[] {
  return [
    `create table settings (
      name ${text} primary key,
      value ${text} not null
    )`,
    `create table change_log (
      seq ${sequence},
      at ${int} not null,
      entity ${text} not null,
      entity_id ${text} not null,
      action ${text} not null,
      actor_id ${text} not null,
      before_hash ${text},
      after_hash ${text},
      source_address ${text}
    )`,
    // No foreign keys: a decision outlives the signer and the identity that it names.
    `create table auth_decisions (
      id ${text} primary key,
      at ${int} not null,
      method ${text} not null,
      reason ${text} not null,
      signer_id ${text},
      identity_id ${text},
      remote_address ${text} not null,
      explanation ${text} not null
    )`,
    `create index auth_decisions_at on auth_decisions (at)`,
    `create table row_counts (
      table_name ${text} primary key,
      total ${int} not null
    )`,
  ]
}
