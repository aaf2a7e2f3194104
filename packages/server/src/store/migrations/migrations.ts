import { initial } from './initial/initial.ts'
import type { Migration } from './migration.ts'

/**
 * Adds further audiences to signers. The table holds every pair of issuer and audience that a signer accepts; its primary key gives each
 * pair to one signer.
 */
const signerAudiences: Migration = {
  version: 2,
  name: 'signer-audiences',
  statements: ({ text }) => [
    `alter table ext_jwt_signers add column additional_audiences ${text} not null default '[]'`,
    `create table ext_jwt_signer_audiences (
      issuer ${text} not null,
      audience ${text} not null,
      signer_id ${text} not null references ext_jwt_signers (id) on delete cascade,
      primary key (issuer, audience)
    )`,
    `create index ext_jwt_signer_audiences_signer on ext_jwt_signer_audiences (signer_id)`,
    `insert into ext_jwt_signer_audiences (issuer, audience, signer_id) select issuer, audience, id from ext_jwt_signers`,
  ],
}

/** Whether a session was opened by token or by an API account: before this step only its `authenticator_id` said so. */
const [BY_TOKEN, BY_ACCOUNT] = [
  `substr(authenticator_id, 1, 9) = 'extJwtId:'`,
  `substr(authenticator_id, 1, 11) = 'apiAccount:'`,
]
const SIGNER_ID = `substr(authenticator_id, 10)`

/**
 * Adds what a session rests on, and the number of locks after wrong one-time codes. Of sessions that are open, what the token said besides the
 * identity is not known.
 */
const sessionsAndCodes: Migration = {
  version: 3,
  name: 'sessions-and-codes',
  statements: ({ text, int }) => [
    `alter table totp_guesses add column locks ${int} not null default 0`,
    `alter table api_sessions add column method ${text} not null default 'password'`,
    ...['signer_id', 'external_id', 'subject', 'provider_session_id', 'amr'].map(
      (column) => `alter table api_sessions add column ${column} ${text}`,
    ),
    ...['token_expires_at', 'authenticated_at'].map((column) => `alter table api_sessions add column ${column} ${int}`),
    // Sessions without their authenticator were refused until now.
    `delete from api_sessions where not ${BY_TOKEN} and not ${BY_ACCOUNT}
      and authenticator_id not in (select id from authenticators)`,
    `update api_sessions set method = 'api-account' where ${BY_ACCOUNT}`,
    `update api_sessions set method = 'cert'
      where authenticator_id in (select id from authenticators where method = 'cert')`,
    `update api_sessions set method = 'ext-jwt', signer_id = ${SIGNER_ID}, external_id = (
        select external_id from identities where identities.id = api_sessions.identity_id
        and exists (select 1 from ext_jwt_signers where ext_jwt_signers.id = ${SIGNER_ID} and use_external_id)
      ) where ${BY_TOKEN}`,
  ],
}

/**
 * Replaces the note whether an administrator saved a signer last by trust, which has a writer. The earlier release noted no writer, but it set
 * the note with every change, so its time is that of the last change. Adds the misspelt members of the last body.
 */
const signerTrust: Migration = {
  version: 4,
  name: 'signer-trust',
  statements: ({ text, int }) => [
    'alter table ext_jwt_signers rename column written_by_admin to is_trusted',
    `alter table ext_jwt_signers add column written_by_id ${text}`,
    `alter table ext_jwt_signers add column written_by_name ${text}`,
    `alter table ext_jwt_signers add column written_at ${int} not null default 0`,
    'update ext_jwt_signers set written_at = updated_at',
    `alter table ext_jwt_signers add column near_misses ${text} not null default '[]'`,
  ],
}

/** Every step of the schema, oldest first; the n-th has version n. Never edit a released step: add a later one. */
export const MIGRATIONS: readonly Migration[] = [initial, signerAudiences, sessionsAndCodes, signerTrust]
