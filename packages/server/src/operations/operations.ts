import type { AnyOperation } from '../store/operation.ts'
import { beginJob } from './account-job/begin-job.ts'
import { dismissJob } from './account-job/dismiss-job.ts'
import { endEnableJob } from './account-job/enable-job.ts'
import { failJob } from './account-job/fail-job.ts'
import { pruneJobs } from './account-job/prune-jobs.ts'
import { settleJob, takeJob } from './account-job/settle-job.ts'
import { removeClient } from './api-account/account-clients.ts'
import { ensureAccountIdentity } from './api-account/account-identity.ts'
import { endOldSessions } from './api-account/account-sessions.ts'
import { beginPlannedRotation } from './api-account/begin-planned-rotation.ts'
import { createApiAccount } from './api-account/create-api-account.ts'
import { deleteApiAccount } from './api-account/delete-api-account.ts'
import { expireAccounts } from './api-account/expire-accounts.ts'
import { issueAccountToken } from './api-account/issue-account-token.ts'
import { noteAccountUses } from './api-account/note-account-uses.ts'
import { pickUpCredentials } from './api-account/pick-up-credentials.ts'
import { pruneAccountTokens } from './api-account/prune-account-tokens.ts'
import { rotateApiAccount } from './api-account/rotate-api-account.ts'
import { patchApiAccount, replaceApiAccount } from './api-account/update-api-account.ts'
import { warnOfUnusedAccounts } from './api-account/warn-of-unused-accounts.ts'
import {
  deleteExpiredSessions,
  endOwnSession,
  endSession,
  endSessionsOf,
  expireSession,
} from './api-session/end-session.ts'
import { extendSession } from './api-session/extend-session.ts'
import { createSessionCertificate, deleteSessionCertificate } from './api-session/session-certificates.ts'
import { createApiSession } from './api-session/start-session.ts'
import { pruneAudit, storeHeads } from './audit/sign-heads.ts'
import { pruneDecisions, recordDecisions } from './auth-decision/record-decisions.ts'
import { createAuthPolicy } from './auth-policy/create-auth-policy.ts'
import { deleteAuthPolicy } from './auth-policy/delete-auth-policy.ts'
import { patchAuthPolicy, replaceAuthPolicy } from './auth-policy/update-auth-policy.ts'
import { createCertificateAuthenticator, createPasswordAuthenticator } from './authenticator/create-authenticator.ts'
import { deleteAuthenticator } from './authenticator/delete-authenticator.ts'
import { noteChain } from './authenticator/note-chain.ts'
import { noteExpiries } from './authenticator/note-expiries.ts'
import { reEnroll } from './authenticator/re-enroll.ts'
import { finishRenewal, stageRenewal } from './authenticator/renew-certificate.ts'
import { requestRenewal, requestRenewalsOf } from './authenticator/request-renewal.ts'
import { updateAuthenticator, updateOwnAuthenticator } from './authenticator/update-authenticator.ts'
import { createCa } from './ca/create-ca.ts'
import { deleteCa } from './ca/delete-ca.ts'
import { noteIntermediates } from './ca/note-intermediates.ts'
import { trustCa } from './ca/trust-ca.ts'
import { patchCa, replaceCa } from './ca/update-ca.ts'
import { verifyCa } from './ca/verify-ca.ts'
import {
  pruneCertificates,
  publishRevocationList,
  recordEarlierCertificates,
  updateRevocations,
} from './certificate/update-revocations.ts'
import { createEnrollment } from './enrollment/create-enrollment.ts'
import { enrollByCa } from './enrollment/enroll-by-ca.ts'
import { enrollByJwt } from './enrollment/enroll-by-jwt.ts'
import { redeemCertificate, redeemForeignCertificate, redeemPassword } from './enrollment/redeem-enrollment.ts'
import { deleteEnrollment, refreshEnrollment } from './enrollment/update-enrollment.ts'
import { arrangeRecords, pruneOutbox } from './event-sink/arrange-records.ts'
import { createSink } from './event-sink/create-sink.ts'
import { deleteSink } from './event-sink/delete-sink.ts'
import { leaseSink, noteDelivery } from './event-sink/deliver.ts'
import { recordEvents } from './event-sink/record-events.ts'
import { replaySink } from './event-sink/replay-sink.ts'
import { patchSink, replaceSink } from './event-sink/update-sink.ts'
import { createIdentity } from './identity/create-identity.ts'
import { deleteIdentity } from './identity/delete-identity.ts'
import { disableIdentity, enableIdentity, lockOutIdentity } from './identity/disable-identity.ts'
import { expireIdentities } from './identity/expire-identities.ts'
import { pruneDeletedIdentities } from './identity/prune-deleted-identities.ts'
import { syncIdentity } from './identity/sync-identity.ts'
import { patchIdentity, replaceIdentity } from './identity/update-identity.ts'
import { createProvider } from './identity-provider/create-provider.ts'
import { deleteProvider } from './identity-provider/delete-provider.ts'
import { noteProviderTest } from './identity-provider/note-provider-test.ts'
import { patchProvider, replaceProvider } from './identity-provider/update-provider.ts'
import { pruneKeptLogins, recordKeptLogins } from './kept-login/record-kept-logins.ts'
import { createNetwork } from './network/create-network.ts'
import { deleteNetwork } from './network/delete-network.ts'
import { patchNetwork, replaceNetwork } from './network/update-network.ts'
import { authenticateOidcLogin } from './oidc/authenticate-login.ts'
import { issueOidcCode } from './oidc/issue-code.ts'
import { endOidcSession, openBoundOidcSession, openOidcSession } from './oidc/open-session.ts'
import { passSecondToken } from './oidc/pass-second-token.ts'
import { rebindOidcSession, renewOidcSession } from './oidc/renew-session.ts'
import { endOidcSessionsOf, revokeToken } from './oidc/revoke-tokens.ts'
import { rotateOidcKey } from './oidc/rotate-key.ts'
import { startOidcLogin } from './oidc/start-login.ts'
import { createOrganization } from './organization/create-organization.ts'
import { deleteOrganization } from './organization/delete-organization.ts'
import { setQuotas } from './organization/set-quotas.ts'
import { resumeOrganization, suspendOrganization } from './organization/suspend-organization.ts'
import { updateOrganization } from './organization/update-organization.ts'
import { removePasskey, renamePasskey, resetPasskey } from './passkey/change-passkey.ts'
import { pruneChallenges } from './passkey/prune-challenges.ts'
import { registerPasskey } from './passkey/register-passkey.ts'
import { passPasskey } from './passkey/use-passkey.ts'
import { pruneUsedCredentials, useProof } from './possession/use-proof.ts'
import { applyLogout } from './provider-channel/apply-logout.ts'
import { applySecurityEvents } from './provider-channel/apply-security-events.ts'
import { pruneRevocations } from './provider-channel/prune-revocations.ts'
import { createRevocation } from './revocation/create-revocation.ts'
import { createScimGroup, deleteScimGroup, updateScimGroup } from './scim/scim-groups.ts'
import { createScimToken, deleteScimToken } from './scim/scim-tokens.ts'
import { createScimUser, deleteScimUser, updateScimUser } from './scim/scim-users.ts'
import { confirmKeys } from './signer/confirm-keys.ts'
import { createSigner } from './signer/create-signer.ts'
import { deleteSigner } from './signer/delete-signer.ts'
import { pushKeys } from './signer/push-keys.ts'
import { reserveKeyFetch } from './signer/reserve-key-fetch.ts'
import { storeKeySet } from './signer/store-key-set.ts'
import { trustSigner } from './signer/trust-signer.ts'
import { patchSigner, replaceSigner } from './signer/update-signer.ts'
import { createFirstAdmin } from './start/create-first-admin.ts'
import { createFirstOrganization } from './start/create-first-organization.ts'
import { ensureSetting } from './start/ensure-setting.ts'
import { recoverAdmin } from './start/recover-admin.ts'
import { discardTotpInLogin, removeTotp, removeTotpInLogin, resetTotp } from './totp/remove-totp.ts'
import { startTotp, verifyTotp } from './totp/start-totp.ts'
import { checkTotpCode, passTotp, renewRecoveryCodes } from './totp/use-totp.ts'
import { pruneChangeLog } from './upkeep/prune-change-log.ts'
import { pruneOidc } from './upkeep/prune-oidc.ts'

/** Every operation of the product; the writer thread runs these and no others. */
export const OPERATIONS: readonly AnyOperation[] = [
  createCa,
  replaceCa,
  patchCa,
  verifyCa,
  trustCa,
  deleteCa,
  noteIntermediates,
  updateRevocations,
  publishRevocationList,
  recordEarlierCertificates,
  pruneCertificates,
  beginJob,
  dismissJob,
  pruneJobs,
  settleJob,
  endEnableJob,
  failJob,
  takeJob,
  removeClient,
  ensureAccountIdentity,
  endOldSessions,
  beginPlannedRotation,
  createApiAccount,
  pickUpCredentials,
  issueAccountToken,
  noteAccountUses,
  warnOfUnusedAccounts,
  expireAccounts,
  pruneAccountTokens,
  deleteApiAccount,
  rotateApiAccount,
  patchApiAccount,
  replaceApiAccount,
  deleteExpiredSessions,
  endOwnSession,
  endSession,
  endSessionsOf,
  extendSession,
  expireSession,
  createSessionCertificate,
  deleteSessionCertificate,
  createApiSession,
  pruneDecisions,
  recordDecisions,
  createAuthPolicy,
  deleteAuthPolicy,
  patchAuthPolicy,
  replaceAuthPolicy,
  createCertificateAuthenticator,
  createPasswordAuthenticator,
  deleteAuthenticator,
  noteChain,
  noteExpiries,
  reEnroll,
  finishRenewal,
  stageRenewal,
  requestRenewal,
  requestRenewalsOf,
  updateAuthenticator,
  updateOwnAuthenticator,
  createEnrollment,
  enrollByCa,
  enrollByJwt,
  redeemCertificate,
  redeemForeignCertificate,
  redeemPassword,
  deleteEnrollment,
  refreshEnrollment,
  createProvider,
  deleteProvider,
  noteProviderTest,
  patchProvider,
  replaceProvider,
  createIdentity,
  deleteIdentity,
  disableIdentity,
  enableIdentity,
  lockOutIdentity,
  expireIdentities,
  pruneDeletedIdentities,
  syncIdentity,
  patchIdentity,
  replaceIdentity,
  createNetwork,
  deleteNetwork,
  patchNetwork,
  replaceNetwork,
  createOrganization,
  deleteOrganization,
  resumeOrganization,
  setQuotas,
  suspendOrganization,
  updateOrganization,
  applyLogout,
  applySecurityEvents,
  pruneRevocations,
  createScimToken,
  deleteScimToken,
  createScimUser,
  updateScimUser,
  deleteScimUser,
  createScimGroup,
  updateScimGroup,
  deleteScimGroup,
  createSigner,
  deleteSigner,
  reserveKeyFetch,
  storeKeySet,
  recordKeptLogins,
  pruneKeptLogins,
  trustSigner,
  pushKeys,
  confirmKeys,
  patchSigner,
  replaceSigner,
  createFirstAdmin,
  recoverAdmin,
  createFirstOrganization,
  ensureSetting,
  registerPasskey,
  passPasskey,
  renamePasskey,
  removePasskey,
  resetPasskey,
  pruneChallenges,
  useProof,
  pruneUsedCredentials,
  removeTotp,
  removeTotpInLogin,
  discardTotpInLogin,
  resetTotp,
  startTotp,
  verifyTotp,
  checkTotpCode,
  passTotp,
  renewRecoveryCodes,
  pruneChangeLog,
  startOidcLogin,
  authenticateOidcLogin,
  issueOidcCode,
  openOidcSession,
  openBoundOidcSession,
  endOidcSession,
  passSecondToken,
  renewOidcSession,
  rebindOidcSession,
  revokeToken,
  endOidcSessionsOf,
  rotateOidcKey,
  createRevocation,
  pruneOidc,
  createSink,
  replaceSink,
  patchSink,
  deleteSink,
  replaySink,
  leaseSink,
  noteDelivery,
  recordEvents,
  arrangeRecords,
  pruneOutbox,
  storeHeads,
  pruneAudit,
]
