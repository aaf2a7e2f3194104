import type { Migration } from './migration.ts'

/** Adds what is needed to publish revoked certificates: every issued one until it expires, and the list of each issuer. */
export const issuedCertificates: Migration = {
  version: 32,
  name: 'issued-certificates',
  statements: ({ text, bool, int, no }) => [
    `create table issued_certificates (
      serial ${text} primary key,
      issuer_key_id ${text} not null,
      fingerprint ${text} not null,
      identity_id ${text} not null,
      authenticator_id ${text},
      is_of_session ${bool} not null,
      not_after ${int} not null,
      revoked_at ${int},
      revocation_reason ${text}
    )`,
    'create index issued_certificates_identity on issued_certificates (identity_id)',
    'create index issued_certificates_authenticator on issued_certificates (authenticator_id)',
    'create index issued_certificates_fingerprint on issued_certificates (fingerprint)',
    'create index issued_certificates_not_after on issued_certificates (not_after)',
    `create index issued_certificates_revoked on issued_certificates (issuer_key_id) where revocation_reason is not null`,
    `create index issued_certificates_held on issued_certificates (identity_id)
      where revocation_reason = 'certificateHold'`,
    `create table revocation_lists (
      issuer_key_id ${text} primary key,
      revision ${int} not null,
      published_revision ${int} not null,
      number ${int} not null,
      this_update ${int} not null,
      next_update ${int} not null,
      der ${text} not null
    )`,
    `alter table auth_policies add column certificate_max_days ${int}`,
    `alter table auth_policies add column certificate_renewal_needs_token ${bool} not null default ${no}`,
    `alter table auth_policies add column certificate_renewal_grace_hours ${int} not null default 24`,
    `alter table authenticators add column token_seen_at ${int}`,
  ],
}
