import { countedTable } from '../counted-table.ts'
import type { ColumnTypes } from '../migration.ts'

/** API sessions, the view `session_owners` that finds them by identity, and session certificates. */
export function sessions(types: ColumnTypes): string[] {
  const { text, bool, int, no, dialect } = types
  return [
    ...(dialect === 'sqlite' ? sqliteSessions(types) : postgresSessions(types)),
    `create table api_session_certificates (
      id ${text} primary key,
      api_session_id ${text} not null references api_sessions (id) on delete cascade,
      subject ${text} not null,
      fingerprint ${text} not null,
      cert_pem ${text} not null,
      not_before ${int} not null,
      not_after ${int} not null,
      is_system ${bool} not null default ${no},
      tags ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create index api_session_certificates_session on api_session_certificates (api_session_id, created_at desc, id)`,
    `create unique index api_session_certificates_fingerprint on api_session_certificates (fingerprint)`,
  ]
}

/** The columns after `identity_id`, which are the same in both databases. */
const furtherColumns = ({ text, bool, int, no }: ColumnTypes) => `
      authenticator_id ${text} not null,
      ip_address ${text} not null,
      config_types ${text} not null,
      last_activity_at ${int} not null,
      expires_at ${int} not null,
      ends_at ${int} not null,
      is_system ${bool} not null default ${no},
      tags ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      passed_totp_id ${text}`

/** PostgreSQL maintains no count of sessions: every login of every node would wait for the lock of its row. */
function postgresSessions(types: ColumnTypes): string[] {
  const { text } = types
  return [
    `create table api_sessions (
      id ${text} primary key,
      token_digest ${text} not null,
      identity_id ${text} not null references identities (id) on delete cascade,${furtherColumns(types)}
    )`,
    `create unique index api_sessions_token_digest on api_sessions (token_digest)`,
    `create index api_sessions_identity_id on api_sessions (identity_id, created_at desc, id)`,
    `create index api_sessions_expires_at on api_sessions (expires_at)`,
    `create view session_owners as select identity_id, created_at, id as session_id from api_sessions`,
  ]
}

/**
 * SQLite has no index of sessions by identity: it would double the time of inserting a session, because each insert goes to another page.
 * Sessions are numbered by `seq` instead and copied to `filed_sessions` later, in batches: see `SessionIndexer`.
 * A session with a `seq` up to `filed_until` has been copied.
 */
function sqliteSessions(types: ColumnTypes): string[] {
  const { text, int, sequence, trigger } = types
  return [
    `create table api_sessions (
      seq ${sequence},
      id ${text} not null unique,
      token_digest ${text} not null,
      identity_id ${text} not null,${furtherColumns(types)}
    )`,
    `create unique index api_sessions_token_digest on api_sessions (token_digest)`,
    `create index api_sessions_expires_at on api_sessions (expires_at)`,
    // Inserts are counted by the writer, once per commit: a trigger takes a tenth of the time of inserting a session.
    ...countedTable('api_sessions', { trigger }, ['delete']),
    `create table filed_sessions (
      identity_id ${text} not null,
      created_at ${int} not null,
      session_id ${text} not null,
      primary key (identity_id, created_at, session_id)
    ) without rowid`,
    `create table session_filing (filed_until ${int} not null)`,
    `insert into session_filing (filed_until) values (0)`,
    `create view session_owners as
      select identity_id, created_at, session_id from filed_sessions
      union all
      select identity_id, created_at, id from api_sessions
      where seq > (select filed_until from session_filing)
      and not exists (
        select 1 from filed_sessions as filed
        where filed.identity_id = api_sessions.identity_id
        and filed.created_at = api_sessions.created_at and filed.session_id = api_sessions.id
      )`,
    ...trigger({
      name: 'api_sessions_unfiled',
      table: 'api_sessions',
      event: 'delete',
      run: `delete from filed_sessions
        where identity_id = old.identity_id and created_at = old.created_at and session_id = old.id`,
    }),
    // Replaces the foreign key, which would search all sessions for those of the deleted identity.
    ...trigger({
      name: 'identities_without_sessions',
      table: 'identities',
      event: 'delete',
      run: 'delete from api_sessions where id in (select session_id from session_owners where identity_id = old.id)',
    }),
  ]
}
