import { countedTable } from '../counted-table.ts'
import type { ColumnTypes } from '../migration.ts'

/** Identities with their attributes, authenticators, enrollments and one-time codes. */
export function identities({ text, bool, int, no, trigger }: ColumnTypes): string[] {
  return [
    `create table identities (
      id ${text} primary key,
      name ${text} not null,
      external_id ${text},
      type_id ${text} not null,
      is_admin ${bool} not null,
      is_default_admin ${bool} not null,
      auth_policy_id ${text} not null references auth_policies (id),
      permissions ${text} not null,
      app_data ${text} not null,
      hosting ${text} not null,
      env_info ${text} not null,
      sdk_info ${text} not null,
      disabled_at ${int},
      disabled_until ${int},
      is_system ${bool} not null default ${no},
      tags ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      verified_totp_id ${text}
    )`,
    `create unique index identities_name on identities (name)`,
    `create unique index identities_external_id on identities (external_id)`,
    `create index identities_auth_policy_id on identities (auth_policy_id)`,
    ...countedTable('identities', { trigger }),
    `create table identity_attributes (
      identity_id ${text} not null references identities (id) on delete cascade,
      attribute ${text} not null,
      primary key (identity_id, attribute)
    )`,
    `create index identity_attributes_attribute on identity_attributes (attribute)`,
    // Steps through the index from one attribute to the next: "select distinct" would read every row.
    `create view identity_role_attributes as
      with recursive names (id) as (
        select min(attribute) from identity_attributes
        union all
        select (select min(attribute) from identity_attributes where attribute > names.id) from names
        where names.id is not null
      )
      select id from names where id is not null`,
    // A renewed certificate is pending in the row of the one that it replaces until the client confirms it.
    `create table authenticators (
      id ${text} primary key,
      identity_id ${text} not null references identities (id) on delete cascade,
      method ${text} not null,
      username ${text},
      password_digest ${text},
      cert_pem ${text},
      fingerprint ${text},
      is_system ${bool} not null default ${no},
      tags ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      public_key_digest ${text},
      last_auth_resolved_to_root ${bool},
      extend_requested_at ${int},
      key_roll_requested ${bool} not null default ${no},
      pending_cert_pem ${text},
      pending_fingerprint ${text},
      pending_public_key_digest ${text}
    )`,
    `create unique index authenticators_username on authenticators (username)`,
    `create unique index authenticators_fingerprint on authenticators (fingerprint)`,
    `create index authenticators_identity_id on authenticators (identity_id)`,
    `create unique index authenticators_public_key_digest on authenticators (public_key_digest)`,
    ...countedTable('authenticators', { trigger }),
    `create table enrollments (
      id ${text} primary key,
      identity_id ${text} not null references identities (id) on delete cascade,
      method ${text} not null,
      username ${text},
      token_digest ${text} not null,
      sealed_token ${text} not null,
      expires_at ${int} not null,
      is_system ${bool} not null default ${no},
      tags ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create unique index enrollments_identity_id_method on enrollments (identity_id, method)`,
    `create unique index enrollments_token_digest on enrollments (token_digest)`,
    `create unique index enrollments_username on enrollments (username)`,
    `create table totps (
      id ${text} primary key,
      identity_id ${text} not null references identities (id) on delete cascade,
      secret ${text} not null,
      recovery_codes ${text} not null,
      spent_recovery_codes ${int} not null,
      last_step ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create unique index totps_identity_id on totps (identity_id)`,
    // Keyed by identity, so that wrong codes still count after the enrollment is deleted.
    `create table totp_guesses (
      identity_id ${text} primary key references identities (id) on delete cascade,
      wrong_at ${text} not null,
      locked_until ${int} not null
    )`,
  ]
}
