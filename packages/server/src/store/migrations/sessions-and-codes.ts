import type { Migration } from './migration.ts'

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
export const sessionsAndCodes: Migration = {
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
