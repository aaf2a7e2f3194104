import type { Migration } from './migration.ts'

/** Adds the audit record: entries that form a chain for each node, and the signed heads of these chains. */
export const auditRecord: Migration = {
  version: 31,
  name: 'audit-record',
  statements: ({ text, int }) => [
    `create table audit_entries (
      id ${text} primary key,
      node ${text} not null,
      sequence ${int} not null,
      at ${int} not null,
      actor_id ${text},
      actor_name ${text},
      action ${text} not null,
      object_kind ${text},
      object_id ${text},
      object_name ${text},
      request_id ${text},
      address ${text},
      scope ${text} not null,
      organization_id ${text},
      content ${text} not null,
      content_hash ${text} not null,
      previous_hash ${text} not null,
      hash ${text} not null
    )`,
    'create unique index audit_entries_sequence on audit_entries (node, sequence)',
    'create index audit_entries_at on audit_entries (at)',
    'create index audit_entries_object on audit_entries (object_id, at)',
    'create index audit_entries_actor on audit_entries (actor_id, at)',
    'create index audit_entries_request on audit_entries (request_id)',
    `create table audit_streams (
      node ${text} primary key,
      sequence ${int} not null,
      hash ${text} not null,
      signed_sequence ${int} not null default 0,
      signed_hash ${text},
      signature ${text},
      signed_at ${int} not null default 0,
      anchor_sequence ${int} not null default 0,
      anchor_hash ${text},
      anchor_signature ${text}
    )`,
  ],
}
