import type { Migration } from './migration.ts'

/**
 * Gives attributes an origin: the table has one row per attribute and origin, and `signer_id` is empty for those of administrators. Adds
 * what follows the tokens of a signer, the end of an identity's access, the life of sessions by policy, and the subjects of deleted identities.
 */
export const syncedIdentities: Migration = {
  version: 11,
  name: 'synced-identities',
  statements: ({ text, int, bool, no }) => [
    'drop view identity_role_attributes',
    `create table identity_attributes_by_origin (
      identity_id ${text} not null references identities (id) on delete cascade,
      attribute ${text} not null,
      signer_id ${text} not null default '',
      channel ${text} not null default '',
      primary key (identity_id, attribute, signer_id, channel)
    )`,
    `insert into identity_attributes_by_origin (identity_id, attribute)
      select identity_id, attribute from identity_attributes`,
    'drop table identity_attributes',
    'alter table identity_attributes_by_origin rename to identity_attributes',
    'create index identity_attributes_attribute on identity_attributes (attribute)',
    `create index identity_attributes_signer on identity_attributes (signer_id) where signer_id <> ''`,
    `create view identity_role_attributes as
      with recursive names (id) as (
        select min(attribute) from identity_attributes
        union all
        select (select min(attribute) from identity_attributes where attribute > names.id) from names
        where names.id is not null
      )
      select id from names where id is not null`,
    `alter table ext_jwt_signers add column attribute_sync ${text} not null default 'enrollment'`,
    `alter table ext_jwt_signers add column name_sync ${bool} not null default ${no}`,
    `alter table ext_jwt_signers add column provision_on_login ${bool} not null default ${no}`,
    `alter table ext_jwt_signers add column reprovision_after_minutes ${int} not null default 1440`,
    `alter table identities add column synced_tokens ${text} not null default '{}'`,
    `alter table identities add column enrolled_by_signer_id ${text}`,
    `alter table identities add column expires_at ${int}`,
    `alter table identities add column has_expired ${bool} not null default ${no}`,
    `create index identities_expires_at on identities (expires_at) where expires_at is not null and has_expired = ${no}`,
    `create table deleted_identities (
      id ${text} primary key,
      external_id ${text},
      deleted_at ${int} not null
    )`,
    'create index deleted_identities_external_id on deleted_identities (external_id)',
    'create index deleted_identities_deleted_at on deleted_identities (deleted_at)',
    `alter table auth_policies add column ext_jwt_require_acr ${text} not null default '[]'`,
    `alter table auth_policies add column ext_jwt_require_amr ${text} not null default '[]'`,
    `alter table auth_policies add column ext_jwt_max_auth_age_seconds ${int}`,
    `alter table auth_policies add column session_idle_minutes ${int}`,
    `alter table auth_policies add column session_max_minutes ${int}`,
    `alter table auth_policies add column session_end_with_token ${bool} not null default ${no}`,
    `alter table api_sessions add column acr ${text}`,
  ],
}
