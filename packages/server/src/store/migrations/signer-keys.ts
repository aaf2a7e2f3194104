import type { Migration } from './migration.ts'

const KEY_SETS = ['signer_key_sets', 'signal_key_sets', 'identity_provider_key_sets']

/**
 * Adds the further sources of a signer's keys and the rules about them. The table of certificates gives each certificate to one signer, those of
 * `certPems` included. A key set notes the thumbprints of the last keys that were not empty, and a set that waits for a confirmation. A session
 * notes the key that signed its token: it ends when the signer no longer has that key.
 */
export const signerKeys: Migration = {
  version: 28,
  name: 'signer-keys',
  statements: ({ text, int, bool, no }) => [
    ...['jwks', 'cert_pems', 'certificates', 'pushed_keys', 'jwks_authorization'].map(
      (column) => `alter table ext_jwt_signers add column ${column} ${text}`,
    ),
    `alter table ext_jwt_signers add column pinned_key_thumbprints ${text} not null default '[]'`,
    `alter table ext_jwt_signers add column require_key_continuity ${bool} not null default ${no}`,
    `alter table ext_jwt_signers add column removed_keys ${text} not null default '[]'`,
    `create table ext_jwt_signer_certificates (
      fingerprint ${text} primary key,
      signer_id ${text} not null references ext_jwt_signers (id) on delete cascade
    )`,
    'create index ext_jwt_signer_certificates_signer on ext_jwt_signer_certificates (signer_id)',
    `insert into ext_jwt_signer_certificates (fingerprint, signer_id)
      select fingerprint, id from ext_jwt_signers where fingerprint is not null`,
    ...KEY_SETS.flatMap((table) => [
      `alter table ${table} add column good_thumbprints ${text}`,
      `alter table ${table} add column pending_jwks ${text}`,
      `alter table ${table} add column pending_at ${int}`,
    ]),
    `alter table api_sessions add column key_thumbprint ${text}`,
  ],
}
