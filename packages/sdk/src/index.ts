/** A typed client of the Countersign APIs, on `fetch` alone. */
export { ACCOUNT_AUTH_POLICY_ID, isAccountIdentity } from '@countersign/contract/account-identity'
export type { AuditHeads } from './controller/audit.ts'
export {
  ControllerClient,
  type ControllerClientOptions,
  type ControllerLoginOptions,
  type WhatIfChange,
  type WhatIfOptions,
} from './controller/controller-client.ts'
export { hasFilterEnding } from './controller/filter-ending.ts'
export {
  type ChangeOptions,
  type ListOptions,
  type Page,
  type PageOptions,
  quoteForFilter,
} from './controller/resource.ts'
export type { TokenSupplier } from './controller/session-authorization.ts'
export type { PushedKeySet, SignerDetail } from './controller/signers.ts'
export { type ClientErrorCode, CountersignError, type ErrorCause, type ProviderError } from './countersign-error.ts'
export { listDefaultFiles } from './credentials/credential-files.ts'
export { Credentials, findTokenInEnv, type LoadOptions } from './credentials/credentials.ts'
export type { CredentialMembers } from './credentials/parse-credentials.ts'
export { createDpopFetch, findBoundKey } from './dpop/dpop-fetch.ts'
export { DpopKey, type PrivateJwk, type ProofTarget } from './dpop/dpop-key.ts'
export {
  type CertificateEnrollOptions,
  type EnrolledCertificate,
  type EnrollmentTicket,
  readEnrollmentTicket,
  type TokenEnrollOptions,
} from './enroll/enrollment.ts'
export {
  createCertificateRequest,
  createKeyPair,
  exportPrivateKey,
  importKeyPair,
  type KeyPair,
} from './enroll/key-pair.ts'
export { parseEventStream, type StreamMessage } from './events/parse-event-stream.ts'
export type { ControllerEvent, WatchedEvent, WatchOptions } from './events/watch-events.ts'
export type { AuditEventListOptions, AuditEventOptions } from './hosted/audit-events.ts'
export type { HostedCaller } from './hosted/hosted-authorization.ts'
export { HostedClient, type HostedClientOptions } from './hosted/hosted-client.ts'
export type { HostedListOptions, HostedPageOptions } from './hosted/hosted-resource.ts'
export type * from './hosted/hosted-types.ts'
export type { ApiCall } from './http/json-api.ts'
export type { CallOptions, TransportOptions } from './http/transport.ts'
export { type KeySet, parseKeySet, readKeySet } from './key-set.ts'
export { BrowserLogin, type BrowserLoginOptions, type PendingLogin } from './login/browser-login.ts'
export { DeviceLogin } from './login/device-login.ts'
export type { LoginOptions, LoginSigner } from './login/login-target.ts'
export type { LoginTokens } from './login/login-tokens.ts'
export type { AccessTokenSupplier } from './source/cached-supply.ts'
export { CALLER_SOURCES, type CallerSource, type FoundCaller, fromCredentialsFile } from './source/caller-sources.ts'
export { type FindCallerOptions, findCaller } from './source/find-caller.ts'
export type { NamedCredentials, SourceContext } from './source/source-context.ts'
export type { TokenRequestOptions } from './token/build-token-request.ts'
export type { ClientKey } from './token/client-assertion.ts'
export type { ProviderName } from './token/provider-name.ts'
export type { AccessToken } from './token/request-token.ts'
export {
  type AccessTokens,
  isFresh,
  type TokenKey,
  TokenSource,
  type TokenSourceOptions,
  type TokenStore,
} from './token/token-source.ts'
export { type TradeOptions, tradeToken } from './token/trade-token.ts'
export type * from './wire-types.ts'
