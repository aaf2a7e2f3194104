import type { Migration } from './migration.ts'

/**
 * What certificates need: a key belongs to one authenticator, an administrator may ask for a renewal, and a renewed certificate waits
 * in the row of the one it replaces until its holder has shown that he has it.
 */
export const certificateAuthenticators: Migration = {
  version: 4,
  name: 'certificate-authenticators',
  statements: ({ text, bool, int, no }) => [
    `alter table authenticators add column public_key_digest ${text}`,
    `alter table authenticators add column last_auth_resolved_to_root ${bool}`,
    `alter table authenticators add column extend_requested_at ${int}`,
    `alter table authenticators add column key_roll_requested ${bool} not null default ${no}`,
    `alter table authenticators add column pending_cert_pem ${text}`,
    `alter table authenticators add column pending_fingerprint ${text}`,
    `alter table authenticators add column pending_public_key_digest ${text}`,
    `create unique index authenticators_public_key_digest on authenticators (public_key_digest)`,
  ],
}
