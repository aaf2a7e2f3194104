import type { ColumnTypes } from '../migration.ts'

/** External JWT signers with their fetched key sets, and auth policies. */
export function signersAndPolicies({ text, bool, int, no }: ColumnTypes): string[] {
  return [
    `create table auth_policies (
      id ${text} primary key,
      name ${text} not null,
      cert_allowed ${bool} not null,
      cert_allow_expired ${bool} not null,
      ext_jwt_allowed ${bool} not null,
      updb_allowed ${bool} not null,
      updb_min_password_length ${int} not null,
      updb_require_special_char ${bool} not null,
      updb_require_number_char ${bool} not null,
      updb_require_mixed_case ${bool} not null,
      updb_max_attempts ${int} not null,
      updb_lockout_duration_minutes ${int} not null,
      require_totp ${bool} not null,
      require_ext_jwt_signer_id ${text},
      is_system ${bool} not null default ${no},
      tags ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create unique index auth_policies_name on auth_policies (name)`,
    `create index auth_policies_require_ext_jwt_signer_id on auth_policies (require_ext_jwt_signer_id)`,
    `create table ext_jwt_signers (
      id ${text} primary key,
      name ${text} not null,
      enabled ${bool} not null,
      issuer ${text} not null,
      audience ${text} not null,
      jwks_endpoint ${text},
      jwks_ca_pem ${text},
      cert_pem ${text},
      kid ${text},
      static_kid ${text},
      fingerprint ${text},
      common_name ${text},
      not_before ${int},
      not_after ${int},
      claims_property ${text} not null,
      use_external_id ${bool} not null,
      external_auth_url ${text},
      open_id_configuration_url ${text},
      client_id ${text},
      scopes ${text},
      target_token ${text} not null,
      enroll_to_cert_enabled ${bool} not null,
      enroll_to_token_enabled ${bool} not null,
      enroll_attribute_claims_selector ${text},
      enroll_name_claims_selector ${text} not null,
      enroll_auth_policy_id ${text} references auth_policies (id),
      clock_skew_seconds ${int} not null,
      max_token_age_seconds ${int},
      required_claims ${text},
      written_by_admin ${bool} not null,
      revision ${int} not null,
      is_system ${bool} not null default ${no},
      tags ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create unique index ext_jwt_signers_name on ext_jwt_signers (name)`,
    `create unique index ext_jwt_signers_issuer_audience on ext_jwt_signers (issuer, audience)`,
    `create unique index ext_jwt_signers_static_kid on ext_jwt_signers (static_kid)`,
    `create unique index ext_jwt_signers_fingerprint on ext_jwt_signers (fingerprint)`,
    `create index ext_jwt_signers_enroll_auth_policy_id on ext_jwt_signers (enroll_auth_policy_id)`,
    // The last fetched keys of a signer, which survive a restart and reach every node.
    `create table signer_key_sets (
      signer_id ${text} primary key references ext_jwt_signers (id) on delete cascade,
      url ${text} not null,
      jwks ${text} not null,
      fetched_at ${int} not null
    )`,
    `create table auth_policy_signers (
      auth_policy_id ${text} not null references auth_policies (id) on delete cascade,
      signer_id ${text} not null references ext_jwt_signers (id),
      primary key (auth_policy_id, signer_id)
    )`,
    `create index auth_policy_signers_signer_id on auth_policy_signers (signer_id)`,
  ]
}
