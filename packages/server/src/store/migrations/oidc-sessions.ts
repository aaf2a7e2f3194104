import type { Migration } from './migration.ts'

/**
 * The OpenID provider: logins in progress, what its sessions hold beside the API session, refresh tokens that were used, signing keys, and
 * revocations.
 */
export const oidcSessions: Migration = {
  version: 13,
  name: 'oidc-sessions',
  statements: ({ text, int, bool, no }) => [
    `create table oidc_logins (
      id ${text} primary key,
      client_id ${text} not null,
      redirect_uri ${text} not null,
      scopes ${text} not null,
      state ${text},
      nonce ${text},
      code_challenge ${text} not null,
      config_types ${text} not null,
      browser_digest ${text},
      session_id ${text},
      details ${text},
      code ${text},
      code_expires_at ${int},
      redeemed_at ${int},
      created_at ${int} not null,
      expires_at ${int} not null
    )`,
    `create unique index oidc_logins_code on oidc_logins (code)`,
    `create index oidc_logins_expiry on oidc_logins (expires_at)`,
    `create table oidc_sessions (
      session_id ${text} primary key references api_sessions (id) on delete cascade,
      client_id ${text} not null,
      scopes ${text} not null,
      details ${text} not null
    )`,
    `create table oidc_spent_tokens (
      jti ${text} primary key,
      session_id ${text} not null references api_sessions (id) on delete cascade,
      spent_at ${int} not null,
      spent_by ${text} not null,
      expires_at ${int} not null
    )`,
    `create index oidc_spent_tokens_session on oidc_spent_tokens (session_id)`,
    `create index oidc_spent_tokens_expiry on oidc_spent_tokens (expires_at)`,
    `create table oidc_keys (
      kid ${text} primary key,
      public_jwk ${text} not null,
      private_key ${text} not null,
      created_at ${int} not null,
      active_at ${int} not null
    )`,
    `create table revocations (
      id ${text} primary key,
      type ${text} not null,
      issued_before ${int},
      expires_at ${int} not null,
      is_system ${bool} not null default ${no},
      tags ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create index revocations_expiry on revocations (expires_at)`,
  ],
}
