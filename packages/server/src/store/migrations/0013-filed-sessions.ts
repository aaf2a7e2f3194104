import type { ColumnTypes, Migration } from './migration.ts'

/**
 * Whose sessions are whose. In SQLite an index by identity takes as long as all the rest of writing a session, as each goes into another page;
 * so a session is numbered and filed under its identity later, many at once: see `SessionFiling`. A session that is not filed yet is found
 * among those numbered after `filed_until`.
 */
export const filedSessions: Migration = {
  version: 13,
  name: 'filed-sessions',
  statements: ({ dialect, trigger }) => (dialect === 'sqlite' ? [...SQLITE, ...triggers(trigger)] : POSTGRES),
}

const POSTGRES = [`create view session_owners as select identity_id, created_at, id as session_id from api_sessions`]

const COLUMNS = `id, token_digest, identity_id, authenticator_id, ip_address, config_types, last_activity_at, expires_at, ends_at, is_system,
  tags, created_at, updated_at, passed_totp_id`

const SQLITE = [
  // Whatever points at a session goes with the table that it was in.
  `create table kept_certificates as select * from api_session_certificates`,
  `create table numbered_sessions (
    seq integer primary key autoincrement,
    id text not null unique,
    token_digest text not null,
    identity_id text not null,
    authenticator_id text not null,
    ip_address text not null,
    config_types text not null,
    last_activity_at integer not null,
    expires_at integer not null,
    ends_at integer not null,
    is_system integer not null default 0,
    tags text not null,
    created_at integer not null,
    updated_at integer not null,
    passed_totp_id text
  )`,
  `insert into numbered_sessions (${COLUMNS}) select ${COLUMNS} from api_sessions order by created_at`,
  `drop table api_sessions`,
  `alter table numbered_sessions rename to api_sessions`,
  `insert into api_session_certificates select * from kept_certificates`,
  `drop table kept_certificates`,
  `create unique index api_sessions_token_digest on api_sessions (token_digest)`,
  `create index api_sessions_expires_at on api_sessions (expires_at)`,
  `create table filed_sessions (
    identity_id text not null,
    created_at integer not null,
    session_id text not null,
    primary key (identity_id, created_at, session_id)
  ) without rowid`,
  `insert into filed_sessions select identity_id, created_at, id from api_sessions`,
  `create table session_filing (filed_until integer not null)`,
  `insert into session_filing select coalesce(max(seq), 0) from api_sessions`,
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
]

/** Those of the table went with it. */
function triggers(trigger: ColumnTypes['trigger']): string[] {
  return [
    ...trigger({
      name: 'api_sessions_counted_out',
      table: 'api_sessions',
      event: 'delete',
      run: "update row_counts set total = total - 1 where table_name = 'api_sessions'",
    }),
    ...trigger({
      name: 'api_sessions_unfiled',
      table: 'api_sessions',
      event: 'delete',
      run: `delete from filed_sessions
        where identity_id = old.identity_id and created_at = old.created_at and session_id = old.id`,
    }),
    ...trigger({
      name: 'identities_without_sessions',
      table: 'identities',
      event: 'delete',
      run: 'delete from api_sessions where id in (select session_id from session_owners where identity_id = old.id)',
    }),
  ]
}
