import type { Migration } from './migration.ts'

/** Adds whether a certificate was enrolled with a token of a signer that was not trusted then. */
export const authenticatorTrust: Migration = {
  version: 37,
  name: 'authenticator-trust',
  statements: ({ bool, no }) => [
    `alter table authenticators add column is_from_untrusted ${bool} not null default ${no}`,
  ],
}
