import type { Migration } from './migration.ts'

/** Adds third-party CAs, and notes them with what rests on them: sessions, authenticators and enrollments. */
export const cas: Migration = {
  version: 12,
  name: 'cas',
  statements: ({ text, bool, int, no }) => [
    `create table cas (
      id ${text} primary key,
      name ${text} not null,
      cert_pem ${text} not null,
      fingerprint ${text} not null,
      subject_digest ${text} not null,
      is_verified ${bool} not null,
      verification_token ${text} not null,
      is_auth_enabled ${bool} not null,
      is_auto_ca_enrollment_enabled ${bool} not null,
      is_ott_ca_enrollment_enabled ${bool} not null,
      identity_roles ${text} not null,
      identity_name_format ${text} not null,
      external_id_claim ${text},
      revision ${int} not null,
      is_trusted ${bool} not null,
      written_by_id ${text},
      written_by_name ${text},
      written_at ${int} not null,
      is_system ${bool} not null default ${no},
      tags ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create unique index cas_name on cas (name)`,
    `create unique index cas_fingerprint on cas (fingerprint)`,
    `create index cas_subject_digest on cas (subject_digest)`,
    `create table ca_intermediates (
      ca_id ${text} not null references cas (id),
      fingerprint ${text} not null,
      subject_digest ${text} not null,
      cert_pem ${text} not null,
      noted_at ${int} not null,
      primary key (ca_id, fingerprint)
    )`,
    `create index ca_intermediates_subject_digest on ca_intermediates (subject_digest)`,
    `alter table enrollments add column ca_id ${text} references cas (id)`,
    `create index enrollments_ca_id on enrollments (ca_id)`,
    `alter table authenticators add column ca_fingerprint ${text}`,
    `alter table api_sessions add column ca_id ${text}`,
    `alter table api_sessions add column ca_revision ${int}`,
  ],
}
