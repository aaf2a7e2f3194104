import type { ColumnTypes, Migration } from './migration.ts'

/**
 * Adds SCIM: tokens of identity providers, and the users and groups that they manage. A user is an identity that is linked to the signer, so that all
 * links of today become users; what a provider has not described is null.
 */
export const scim: Migration = {
  version: 15,
  name: 'scim',
  statements: (types) => {
    const { text, int } = types
    const signer = `signer_id ${text} not null references ext_jwt_signers (id) on delete cascade`
    const identity = `identity_id ${text} not null references identities (id) on delete cascade`
    return [
      `alter table ext_jwt_signers add column scim_identity_attribute ${text} not null default 'userName'`,
      `alter table ext_jwt_signers add column scim_group_attribute_template ${text} not null default '{displayName}'`,
      `create table scim_tokens (
        id ${text} primary key,
        ${signer},
        token_digest ${text} not null,
        created_by_id ${text} not null,
        created_by_name ${text} not null,
        created_at ${int} not null,
        updated_at ${int} not null
      )`,
      'create unique index scim_tokens_token_digest on scim_tokens (token_digest)',
      'create index scim_tokens_signer on scim_tokens (signer_id)',
      `create table scim_users (
        ${signer},
        ${identity},
        position ${int} not null,
        user_name ${text},
        user_name_key ${text},
        external_id ${text},
        display_name ${text},
        name ${text} not null default '{}',
        emails ${text} not null default '[]',
        primary key (signer_id, identity_id)
      )`,
      'create unique index scim_users_position on scim_users (signer_id, position)',
      'create unique index scim_users_user_name on scim_users (signer_id, user_name_key)',
      'create unique index scim_users_external_id on scim_users (signer_id, external_id)',
      'create index scim_users_identity on scim_users (identity_id)',
      `create table scim_groups (
        id ${text} primary key,
        ${signer},
        position ${int} not null,
        display_name ${text} not null,
        display_name_key ${text} not null,
        external_id ${text},
        attribute ${text} not null,
        created_at ${int} not null,
        updated_at ${int} not null
      )`,
      'create unique index scim_groups_position on scim_groups (signer_id, position)',
      'create unique index scim_groups_display_name on scim_groups (signer_id, display_name_key)',
      'create unique index scim_groups_external_id on scim_groups (signer_id, external_id)',
      'create index scim_groups_attribute on scim_groups (signer_id, attribute)',
      `create table scim_members (
        group_id ${text} not null references scim_groups (id) on delete cascade,
        ${identity},
        primary key (group_id, identity_id)
      )`,
      'create index scim_members_identity on scim_members (identity_id)',
      `insert into scim_users (signer_id, identity_id, position)
        select signer_id, identity_id, row_number() over (partition by signer_id order by identity_id)
        from (${linksOf(types)}) as links
        where signer_id in (select id from ext_jwt_signers)`,
    ]
  },
}

function linksOf({ dialect }: Pick<ColumnTypes, 'dialect'>): string {
  const each =
    dialect === 'sqlite'
      ? 'json_each(identities.linked_signers) as linked'
      : 'jsonb_array_elements_text(identities.linked_signers::jsonb) as linked (value)'
  return `select enrolled_by_signer_id as signer_id, id as identity_id from identities where enrolled_by_signer_id is not null
    union
    select linked.value, identities.id from identities cross join ${each} where identities.linked_signers <> '[]'`
}
