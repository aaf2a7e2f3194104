import type { Authenticate } from '@countersign/contract'
import {
  AppError,
  isAccountIdentity,
  isIssuedBefore,
  isLinkedTo,
  newSortableId,
  sessionEnd,
  sessionIdleMs,
} from '@countersign/core'
import { apiSessionEvent } from '../../events/api-session-event.ts'
import type { ApiSessionEvent } from '../../events/controller-event.ts'
import type { EventHub } from '../../events/event-hub.ts'
import type { ReportedRequest } from '../../events/reported-request.ts'
import type { Clock } from '../../platform/clock.ts'
import { clientName } from '../../session/client-name.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import { newSessionToken, sessionTokenDigest } from '../../session/session-token.ts'
import type { AccountCredential } from '../../store/actor-credential.ts'
import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import { hasAccess, type StoredIdentity } from '../../store/identity-row.ts'
import { operation } from '../../store/operation.ts'
import { findAccountActor } from '../../store/reads/actor-reads.ts'
import { hasCredential } from '../../store/reads/authenticator-reads.ts'
import { type LoginState, lockIdentity } from '../../store/reads/lock-identity.ts'
import type { SessionOrigin } from '../../store/reads/session-origin-reads.ts'
import type { CaBasis, TokenBasis } from '../../store/session-basis.ts'
import type { Store } from '../../store/store.ts'
import type { Transaction } from '../../store/transaction.ts'
import { countSessions, insertSession, type NewApiSession } from '../../store/writes/api-session-writes.ts'
import { setClientInfo } from '../../store/writes/identity-writes.ts'
import { endSurplusSessions, type SecondFactors } from '../../store/writes/surplus-sessions.ts'
import { type PasskeyProof, usePasskey } from '../passkey/use-passkey.ts'
import { type CredentialUses, type UsedBefore, useCredentials } from '../possession/use-credentials.ts'
import { acceptedLoginEvent } from './accepted-login-event.ts'

export interface CreateApiSession extends NewApiSession {
  readonly envInfo: Readonly<Record<string, string>> | undefined
  readonly sdkInfo: Readonly<Record<string, string>> | undefined
  /** The password digest or certificate fingerprint that was compared: the authenticator must still have it. */
  readonly comparedWith?: string | undefined
  /** The verified response of a login by passkey. */
  readonly passkey?: PasskeyProof | undefined
  /** What of a login by token is accepted once. */
  readonly uses?: CredentialUses | undefined
  /** The sessions of the identity beyond this number end: those that lack a second factor, then the least recently used. */
  readonly maxPerIdentity: number
  /** Undefined when the first factor makes a session complete. */
  readonly secondFactors?: SecondFactors | undefined
}

/**
 * Whether a session was opened. It is not when the signer changed after it verified the token, which must be verified again, and when the
 * identity provider has revoked the token, or it or its proof was used before and is accepted once.
 */
export type Opening = 'opened' | 'signer-changed' | 'token-revoked' | UsedBefore

/**
 * Opens a session for an identity that has just logged in. Fails with INVALID_AUTH when it was disabled or deleted meanwhile, or its credential
 * was changed.
 */
export const createApiSession = operation({
  name: 'apiSession.create',
  access: 'none',
  needsWriteLock: false,
  locksOnlyActor: true,
  async run(tx, session: CreateApiSession): Promise<Opening> {
    const opening = await decideOpening(tx, session, await lockForOpening(tx, session))
    if (opening === 'opened') await insertApiSession(tx, session)
    return opening
  },
  hasHappened: (opening) => opening === 'opened',
})

/** What decides whether an identity gets another session. */
export interface LockedForOpening {
  readonly identity: LoginState | undefined
  readonly count: number
}

/** Locks the identity, and counts its sessions. Sent together: PostgreSQL counts once it has the lock. */
export async function lockForOpening(
  tx: Transaction,
  { identityId, token }: Pick<CreateApiSession, 'identityId' | 'token'>,
): Promise<LockedForOpening> {
  const [identity, count] = await Promise.all([lockIdentity(tx, identityId, token), countSessions(tx, identityId)])
  return { identity, count }
}

/** Decides whether a session may be opened, and makes room for it. `insertApiSession` opens it. Fails as `createApiSession` does. */
export async function decideOpening(
  tx: Transaction,
  { maxPerIdentity, secondFactors, comparedWith, passkey, uses, ...session }: CreateApiSession,
  { identity, count }: LockedForOpening,
): Promise<Opening> {
  const { identityId, token } = session
  if (token && identity && identity.signerRevision !== token.signerRevision) return 'signer-changed'
  if (token && identity && isTokenRevoked(identity, token)) return 'token-revoked'
  if (!identity || !(await mayLogIn(tx, identity, session, { comparedWith, passkey })))
    throw new AppError('INVALID_AUTH')
  const usedBefore = uses && (await useCredentials(tx, uses, 'login'))
  if (usedBefore) return usedBefore
  const surplus = count + 1 - maxPerIdentity
  if (surplus > 0) await endSurplusSessions(tx, identityId, { surplus, secondFactors })
  return 'opened'
}

/** Opens a session for which `decideOpening` has decided. */
export async function insertApiSession(tx: Transaction, session: CreateApiSession): Promise<void> {
  const { identityId, envInfo, sdkInfo, secondFactors } = session
  await insertSession(tx, session)
  if (secondFactors) tx.idleSessions?.addIncomplete(identityId, session.id)
  if (envInfo || sdkInfo) await setClientInfo(tx, identityId, { envInfo, sdkInfo })
}

/** An identity provider can only revoke the tokens of identities that are linked to its signer. */
function isTokenRevoked(identity: LoginState, token: TokenBasis): boolean {
  const { revokedAt } = identity
  return revokedAt !== null && isLinkedTo(identity, token.signerId) && isIssuedBefore(token, revokedAt)
}

/** Whether the identity is enabled now and still has the credential that was checked. That of an API account needs an active account and client. */
async function mayLogIn(
  tx: Transaction,
  identity: LoginState,
  { identityId, authenticatorId, token, ca }: NewApiSession,
  { comparedWith, passkey }: Pick<CreateApiSession, 'comparedWith' | 'passkey'>,
): Promise<boolean> {
  if (!hasAccess(identity, tx.now)) return false
  if (isAccountIdentity(identityId)) return (await findAccountActor(tx.db, tx)) !== undefined
  const externalId = token?.externalId ?? ca?.externalId ?? null
  if (externalId !== null && externalId !== identity.externalId) return false
  if (passkey) return usePasskey(tx, identityId, passkey)
  return comparedWith === undefined || hasCredential(tx.db, authenticatorId, comparedWith)
}

export interface SessionOptions {
  readonly store: Store
  readonly clock: Clock
  readonly events: Pick<EventHub, 'publish' | 'toRecord'>
  readonly idleMs: number
  readonly maxMs: number
  readonly maxPerIdentity: number
}

/** An identity that has authenticated, and how. */
export interface Authenticated extends SessionOrigin {
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
  readonly authenticatorId: string
  /** The password digest or certificate fingerprint that was compared. */
  readonly comparedWith?: string | undefined
  /** The verified response of a login by passkey. */
  readonly passkey?: PasskeyProof | undefined
  /** The token of a login by token. */
  readonly token?: TokenBasis | undefined
  /** What of a login by token is accepted once. */
  readonly uses?: CredentialUses | undefined
  /** The thumbprint of the key that the session is bound to. */
  readonly boundKey?: string | undefined
  /** SHA-1 of the certificate of a login by certificate. */
  readonly presentedFingerprint?: string | undefined
  /** When that certificate no longer logs in; Infinity when the policy accepts expired ones. */
  readonly certificateExpiresAt?: number | undefined
  /** The third-party CA of a login by certificate. */
  readonly ca?: CaBasis | undefined
  readonly body: Authenticate
  readonly ipAddress: string
  /** The request of the login, as events report it. */
  readonly request?: ReportedRequest | undefined
  /** The header `User-Agent`, unverified. */
  readonly userAgent?: string | undefined
  /** Of a federated API account: when the access that its token gives ends. */
  readonly accessEndsAt?: number | undefined
  /** Of an API account: what its token proved. */
  readonly client?: AccountCredential | undefined
}

/** The signer of a login changed after it verified the token. The login can be tried again; the error is that of a refused one. */
export class SignerChangedError extends AppError {
  constructor() {
    super('INVALID_AUTH')
  }
}

/** The identity provider has revoked the token of a login. */
export class TokenRevokedError extends AppError {
  constructor() {
    super('INVALID_AUTH')
  }
}

/** The token of a login, or its proof, is accepted once and was used before. */
export class CredentialUsedError extends AppError {
  readonly usedBefore: UsedBefore

  constructor(usedBefore: UsedBefore) {
    super('INVALID_AUTH')
    this.usedBefore = usedBefore
  }
}

/** Throws unless the session was opened. */
export function checkOpened(opening: Opening): void {
  if (opening === 'opened') return
  if (opening === 'signer-changed') throw new SignerChangedError()
  if (opening === 'token-revoked') throw new TokenRevokedError()
  throw new CredentialUsedError(opening)
}

export interface OpenedSession {
  readonly token: string
  readonly session: LiveSession
}

/**
 * Opens the session of an identity that has authenticated; it is durable when this resolves. Fails with INVALID_AUTH as `createApiSession` does,
 * with SignerChangedError, TokenRevokedError or CredentialUsedError.
 */
export type OpenSession = (options: SessionOptions, authenticated: Authenticated) => Promise<OpenedSession>

/** Opens a session with a session token. */
export const startSession: OpenSession = async (options, authenticated) => {
  const { store, clock, events, idleMs, maxMs } = options
  const { identity, policy, client, request } = authenticated
  const now = clock.now()
  const token = newSessionToken(now)
  const { row, session } = buildSession(options, authenticated, {
    id: newSortableId(now),
    tokenDigest: sessionTokenDigest(token),
    now,
    expiresAt: now + sessionIdleMs(policy, idleMs),
    endsAt: Math.min(now + maxMs, authenticated.accessEndsAt ?? Number.POSITIVE_INFINITY),
  })
  const { created, recorded } = loginEvents(events, session, request)
  const meta = {
    actorId: identity.id,
    now,
    ...(client && { credential: client }),
    events: recorded,
  }
  checkOpened(await store.run(createApiSession, row, meta))
  events.publish(created, { isRecorded: recorded !== undefined })
  return { token, session: recorded ? { ...session, isLoginRecorded: true } : session }
}

export interface LoginEvents {
  readonly created: ApiSessionEvent
  /** The lines of both, which the transaction of the login records; undefined while there are no sinks. */
  readonly recorded: string | undefined
}

/** The events of a login: that it was accepted, and that it has a session. */
export function loginEvents(
  events: SessionOptions['events'],
  session: LiveSession,
  request: ReportedRequest | undefined,
): LoginEvents {
  const { id, identity, ipAddress, isOidc } = session
  const created = apiSessionEvent('created', { id, identityId: identity.id, ipAddress, isOidc })
  return { created, recorded: request && events.toRecord([created, acceptedLoginEvent(session, request)]) }
}

interface SessionKey {
  readonly id: string
  readonly tokenDigest: string
  readonly now: number
  /** Before the policy and the identity are applied, which may set an earlier end. */
  readonly expiresAt: number
  readonly endsAt: number
}

/** The row of a new session, and the session as requests use it. */
export function buildSession(
  { maxPerIdentity }: Pick<SessionOptions, 'maxPerIdentity'>,
  authenticated: Authenticated,
  { id, tokenDigest, now, endsAt, ...key }: SessionKey,
): { readonly row: CreateApiSession; readonly session: LiveSession } {
  const { identity, policy, login, certificate, authenticatorId, comparedWith, passkey, token, ca, body, ipAddress } =
    authenticated
  const { uses, boundKey } = authenticated
  const tokenExpiresAt = token?.expiresAt ?? null
  const end = Math.min(endsAt, sessionEnd(policy, { createdAt: now, tokenExpiresAt }, identity))
  const expiresAt = Math.min(key.expiresAt, end)
  const configTypes = knownConfigTypes(body.configTypes ?? [])
  const row: CreateApiSession = {
    id,
    tokenDigest,
    identityId: identity.id,
    method: login.method,
    authenticatorId,
    comparedWith,
    passkey,
    token,
    ...(uses && { uses }),
    ca,
    ...(boundKey !== undefined && { boundKey }),
    ipAddress,
    client: clientName(body.sdkInfo, authenticated.userAgent),
    configTypes,
    expiresAt,
    endsAt,
    envInfo: body.envInfo as Record<string, string> | undefined,
    sdkInfo: body.sdkInfo as Record<string, string> | undefined,
    maxPerIdentity,
    secondFactors: secondFactorsOf(identity, policy),
  }
  const session = {
    id,
    identity,
    policy,
    login,
    certificate,
    method: login.method,
    authenticatorId,
    signerId: token?.signerId ?? null,
    signerSessionRevision: token?.sessionRevision ?? null,
    keyThumbprint: token?.keyThumbprint ?? null,
    acr: token?.acr ?? null,
    amr: token?.amr ?? null,
    authenticatedAt: token?.authenticatedAt ?? null,
    ruleClaims: token?.ruleClaims ?? null,
    tokenExpiresAt,
    caId: ca?.id ?? null,
    caRevision: ca?.revision ?? null,
    ipAddress,
    configTypes,
    createdAt: now,
    updatedAt: now,
    lastActivityAt: now,
    expiresAt,
    storedExpiresAt: expiresAt,
    endsAt: end,
    passedTotpId: null,
    passedPasskeyId: null,
    boundKey: boundKey ?? null,
  }
  return { row, session }
}

function secondFactorsOf(
  { verifiedTotpId }: StoredIdentity,
  { secondary }: StoredAuthPolicy,
): SecondFactors | undefined {
  const needsToken = secondary.requireExtJwtSigner !== null
  const needsPasskey = secondary.requirePasskey
  return verifiedTotpId !== null || needsToken || needsPasskey
    ? { verifiedTotpId, needsToken, needsPasskey }
    : undefined
}

const ALL_CONFIG_TYPES = 'all'

/** Drops unknown types. There are no config types here, so only the keyword for all of them is known. */
function knownConfigTypes(requested: readonly string[]): readonly string[] {
  return requested.includes(ALL_CONFIG_TYPES) ? [ALL_CONFIG_TYPES] : []
}
