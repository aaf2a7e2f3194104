import type { ColumnTypes } from '../migration.ts'

/** Organizations with their identity providers, networks and API accounts. */
export function hosted({ text, bool, int }: ColumnTypes): string[] {
  return [
    `create table organizations (
      id ${text} primary key,
      label ${text} not null,
      name ${text} not null,
      active ${bool} not null,
      is_local ${bool} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create unique index organizations_label on organizations (label)`,
    `create table identity_providers (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      name ${text} not null,
      kind ${text} not null,
      issuer ${text} not null,
      discovery_url ${text},
      jwks_uri ${text} not null,
      token_url ${text},
      audience ${text},
      client_id_claim ${text},
      required_scope ${text},
      registration_url ${text},
      registration_token ${text},
      enabled ${bool} not null,
      revision ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create unique index identity_providers_name on identity_providers (organization_id, name)`,
    `create index identity_providers_issuer on identity_providers (issuer)`,
    `create table identity_provider_key_sets (
      signer_id ${text} primary key references identity_providers (id) on delete cascade,
      url ${text} not null,
      jwks ${text} not null,
      fetched_at ${int} not null
    )`,
    `create table network_groups (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      name ${text} not null,
      short_name ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create unique index network_groups_name on network_groups (organization_id, name)`,
    `create table networks (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      network_group_id ${text} not null references network_groups (id),
      name ${text} not null,
      status ${text} not null,
      size ${text} not null,
      product_version ${text} not null,
      provider ${text} not null,
      region ${text} not null,
      is_local ${bool} not null,
      controller_url ${text},
      owner_identity_id ${text} not null,
      created_by ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      deleted_at ${int},
      deleted_by ${text}
    )`,
    `create unique index networks_name on networks (network_group_id, name) where deleted_at is null`,
    `create index networks_organization_id on networks (organization_id, name, id)`,
    `create table api_accounts (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      identity_provider_id ${text} not null references identity_providers (id),
      name ${text} not null,
      contact_email ${text},
      description ${text},
      role ${text} not null,
      active ${bool} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create unique index api_accounts_name on api_accounts (organization_id, name)`,
    `create index api_accounts_identity_provider_id on api_accounts (identity_provider_id)`,
    `create table api_account_clients (
      issuer ${text} not null,
      client_id ${text} not null,
      account_id ${text} not null references api_accounts (id) on delete cascade,
      registration_uri ${text},
      registration_token ${text},
      retires_at ${int},
      created_at ${int} not null,
      primary key (issuer, client_id)
    )`,
    `create index api_account_clients_account_id on api_account_clients (account_id)`,
    `create index api_account_clients_retires_at on api_account_clients (retires_at)`,
  ]
}
