import type { Migration } from './migration.ts'

/**
 * Adds what identity providers send besides tokens: the signers that an identity is linked to, revoked tokens, the ids of logout and security
 * event tokens that have been used, the settings and keys of security events, and when the token of a session was issued.
 */
export const providerChannels: Migration = {
  version: 14,
  name: 'provider-channels',
  statements: ({ text, int }) => [
    `alter table identities add column linked_signers ${text} not null default '[]'`,
    `alter table identities add column disabled_by_signer_id ${text}`,
    `alter table identities add column account_events ${text} not null default '{}'`,
    `alter table ext_jwt_signers add column shared_signals ${text}`,
    `alter table ext_jwt_signers add column signals_jwks_uri ${text}`,
    `create table signal_key_sets (
      signer_id ${text} primary key references ext_jwt_signers (id) on delete cascade,
      url ${text} not null,
      jwks ${text} not null,
      fetched_at ${int} not null,
      ca_digest ${text} not null default ''
    )`,
    `alter table api_sessions add column token_issued_at ${int}`,
    'create index api_sessions_subject on api_sessions (signer_id, subject) where subject is not null',
    `create index api_sessions_provider_session on api_sessions (signer_id, provider_session_id)
      where provider_session_id is not null`,
    `create table token_revocations (
      signer_id ${text} not null references ext_jwt_signers (id) on delete cascade,
      revocation_key ${text} not null,
      revoked_at ${int} not null,
      cause ${text} not null,
      primary key (signer_id, revocation_key)
    )`,
    'create index token_revocations_revoked_at on token_revocations (signer_id, revoked_at)',
    `create table used_event_tokens (
      signer_id ${text} not null references ext_jwt_signers (id) on delete cascade,
      id_digest ${text} not null,
      expires_at ${int} not null,
      primary key (signer_id, id_digest)
    )`,
    'create index used_event_tokens_expires_at on used_event_tokens (expires_at)',
  ],
}
