import type { Migration } from './migration.ts'

/** Certificates of sessions, which end with them. */
export const sessionCertificates: Migration = {
  version: 8,
  name: 'session-certificates',
  statements: ({ text, bool, int, no }) => [
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
  ],
}
