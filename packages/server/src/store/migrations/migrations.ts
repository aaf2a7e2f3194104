import { accountAdministration } from './account-administration.ts'
import { accountJobIndexes } from './account-job-indexes.ts'
import { auditRecord } from './audit-record.ts'
import { authenticatorTrust } from './authenticator-trust.ts'
import { cas } from './cas.ts'
import { changeKinds } from './change-kinds.ts'
import { decisionNames } from './decision-names.ts'
import { eventSinks } from './event-sinks.ts'
import { federatedAccounts } from './federated-accounts.ts'
import { identityRights } from './identity-rights.ts'
import { initial } from './initial/initial.ts'
import { issuedCertificates } from './issued-certificates.ts'
import { keptLogins } from './kept-logins.ts'
import { keyFetches } from './key-fetches.ts'
import { keySetCas } from './key-set-cas.ts'
import { lastLogins } from './last-logins.ts'
import { loginsAndExpiry } from './logins-and-expiry.ts'
import type { Migration } from './migration.ts'
import { networkNames } from './network-names.ts'
import { oidcSessions } from './oidc-sessions.ts'
import { passkeys } from './passkeys.ts'
import { possession } from './possession.ts'
import { providerChannels } from './provider-channels.ts'
import { rules } from './rules.ts'
import { scim } from './scim.ts'
import { scimNames } from './scim-names.ts'
import { sessionChanges } from './session-changes.ts'
import { sessionClients } from './session-clients.ts'
import { sessionIndex } from './session-index.ts'
import { sessionsAndCodes } from './sessions-and-codes.ts'
import { setUpSessions } from './set-up-sessions.ts'
import { signerAudiences } from './signer-audiences.ts'
import { signerKeys } from './signer-keys.ts'
import { signerSessions } from './signer-sessions.ts'
import { signerTrust } from './signer-trust.ts'
import { syncedIdentities } from './synced-identities.ts'
import { tenants } from './tenants.ts'
import { trustWriters } from './trust-writers.ts'

/** Every step of the schema, oldest first; the n-th has version n. Never edit a released step: add a later one. */
export const MIGRATIONS: readonly Migration[] = [
  initial,
  signerAudiences,
  sessionsAndCodes,
  signerTrust,
  networkNames,
  keyFetches,
  keySetCas,
  identityRights,
  setUpSessions,
  sessionIndex,
  syncedIdentities,
  cas,
  oidcSessions,
  providerChannels,
  scim,
  scimNames,
  signerSessions,
  lastLogins,
  accountAdministration,
  federatedAccounts,
  tenants,
  decisionNames,
  passkeys,
  sessionClients,
  accountJobIndexes,
  rules,
  keptLogins,
  signerKeys,
  possession,
  eventSinks,
  auditRecord,
  issuedCertificates,
  loginsAndExpiry,
  trustWriters,
  changeKinds,
  sessionChanges,
  authenticatorTrust,
]
