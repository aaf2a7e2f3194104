import {
  accountIdOf,
  findPolicyRefusal,
  findStepUp,
  isAccountIdentity,
  isCodeMissing,
  isLinkedTo,
  isLoginAllowed,
  isPasskeyMissing,
  isTrustedFor,
  type Linked,
  type LoginMethodName,
  type NamedIdentity,
  NO_SIGNER,
  namesIdentity,
  type RuleClaims,
  sessionClaims,
  sessionEnd,
} from '@countersign/core'
import type { Kysely } from 'kysely'
import type { Actor } from '../actor.ts'
import type { SessionCredential, SignerRevision } from '../actor-credential.ts'
import type { StoredAuthPolicy } from '../auth-policy-row.ts'
import { hasAccess } from '../identity-row.ts'
import { readJsonColumn } from '../json-column.ts'
import type { OperationAccess } from '../operation-access.ts'
import type { OperationMeta } from '../operation-meta.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import { isStoredSessionLive } from '../session-activity.ts'
import type { Transaction } from '../transaction.ts'
import { findAccountRole } from './active-account-reads.ts'
import { findAuthPolicyOf } from './auth-policy-reads.ts'
import { findIdentity } from './identity-reads.ts'
import { hasPasskey } from './passkey-reads.ts'
import { isRevoked } from './revocation-reads.ts'
import { findSessionOrigin } from './session-origin-reads.ts'
import { findEnabledSignerTrust, findSigner } from './signer-reads.ts'
import { findRevocation } from './token-revocation-reads.ts'

type Db = Kysely<Database>

interface SessionActor extends Pick<OperationMeta, 'actorId' | 'now' | 'source'> {
  readonly credential: SessionCredential
  /** Decides which second factors the session may lack. */
  readonly access: OperationAccess
}

/**
 * The identity with its current rights; undefined when it is deleted or disabled, or when its session has ended, rests on a login that is no
 * longer allowed, or lacks a second factor that is required now.
 */
export async function findSessionActor(
  { db }: Pick<Transaction, 'db'>,
  { actorId, credential, now, access, source }: SessionActor,
): Promise<Actor | undefined> {
  // On PostgreSQL these share one round trip.
  const [[session], [row], policy] = await Promise.all([
    sessionById(db, credential.sessionId),
    identityById(db, actorId),
    findAuthPolicyOf(db, actorId),
  ])
  if (session?.identityId !== actorId || !isStoredSessionLive(session, now)) return undefined
  if (!row || !isUsable(row, now)) return undefined
  if (credential.tokenId !== undefined && (await isRevoked(db, credential.tokenId))) return undefined
  const actor: Actor = { id: actorId, isAdmin: Boolean(row.is_admin), permissions: readJsonColumn(row.permissions) }
  const origin = await findSessionOrigin(db, { ...session, method: session.method as LoginMethodName }, actor)
  if (origin?.retiresAt !== undefined && now >= origin.retiresAt) return undefined
  if (!origin || !policy || !isLoginAllowed(policy, origin.login)) return undefined
  if (now >= sessionEnd(policy, session, row)) return undefined
  if (access === 'partial-self') return actor
  if (origin.login.method === 'ext-jwt' && lacksStepUp(policy, session, now)) return undefined
  if (policy.acceptRule !== null && (await isRefusedByRule(db, policy, { actorId, ...session, now, source })))
    return undefined
  if (access !== 'self-before-code' && isCodeMissing(policy, { ...row, ...session })) return undefined
  const factor = { method: origin.login.method, passedPasskeyId: session.passedPasskeyId }
  if (isPasskeyMissing(policy, factor) && !(access === 'self-before-passkey' && !(await hasPasskey(db, actorId)))) {
    return undefined
  }
  return (await isSecondTokenValid(db, policy, credential, { ...row, ...actor })) ? actor : undefined
}

/** No session ends before the commit: what ends one waits for the operations that authorise an actor. */
const sessionById = prepared(1, (db, id: string) =>
  db
    .selectFrom('api_sessions')
    .select(['identity_id as identityId', 'method', 'authenticator_id as authenticatorId', 'signer_id as signerId'])
    .select([
      'signer_revision as signerSessionRevision',
      'key_thumbprint as keyThumbprint',
      'ca_id as caId',
      'ca_revision as caRevision',
    ])
    .select([
      'passed_totp_id as passedTotpId',
      'passed_passkey_id as passedPasskeyId',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'ends_at as endsAt',
    ])
    .select(['token_expires_at as tokenExpiresAt', 'authenticated_at as authenticatedAt', 'acr', 'amr'])
    .select('rule_claims as ruleClaims')
    .where('id', '=', id),
)

const identityById = prepared(1, (db, id: string) =>
  db
    .selectFrom('identities')
    .select(['is_admin', 'permissions', 'disabled_at as disabledAt', 'disabled_until as disabledUntil'])
    .select(['verified_totp_id as verifiedTotpId', 'external_id as externalId'])
    .select(['expires_at as expiresAt', 'has_expired as hasExpired'])
    .select(['enrolled_by_signer_id as enrolledBySignerId', 'linked_signers as linkedSigners'])
    .where('id', '=', id),
)

function isUsable(row: Awaited<ReturnType<typeof identityById>>[number], now: number): boolean {
  return hasAccess({ ...row, hasExpired: Boolean(row.hasExpired) }, now)
}

/** Whether the policy now requires a stronger or newer login at the identity provider. */
function lacksStepUp(
  { primary }: StoredAuthPolicy,
  { acr, amr, authenticatedAt }: { acr: string | null; amr: string | null; authenticatedAt: number | null },
  now: number,
): boolean {
  const claims = { acr, amr: amr === null ? null : readJsonColumn<string[]>(amr), authenticatedAt }
  return findStepUp(primary.extJwt, claims, now) !== undefined
}

interface RuledRequest extends Pick<SessionActor, 'actorId' | 'now'> {
  readonly source: OperationMeta['source'] | undefined
  readonly signerId: string | null
  readonly ruleClaims: string | null
}

/** Whether the rule of the policy refuses the request now. */
async function isRefusedByRule(
  db: Db,
  policy: StoredAuthPolicy,
  { actorId, signerId, ruleClaims, source, now }: RuledRequest,
): Promise<boolean> {
  const [identity, signer] = await Promise.all([
    findIdentity(db, actorId),
    signerId === null ? undefined : findSigner(db, signerId),
  ])
  if (!identity) return true
  const kept = ruleClaims === null ? null : readJsonColumn<RuleClaims>(ruleClaims)
  const request = source && { method: source.method, address: withoutPort(source.remoteAddr) }
  const facts = { ...sessionClaims(signerId, kept), signer: signer ?? NO_SIGNER, identity, request, nowMs: now }
  return findPolicyRefusal(policy, facts) !== undefined
}

/** The address of `1.2.3.4:5678`, `[::1]:5678` or `::1`. */
function withoutPort(remoteAddr: string): string {
  if (remoteAddr.startsWith('[')) return remoteAddr.slice(1, remoteAddr.indexOf(']'))
  const [address = '', , ...more] = remoteAddr.split(':')
  return more.length > 0 ? remoteAddr : address
}

/**
 * Whether the second token of the request is still the one that the policy requires. It was verified with the request: a signer that changed
 * since might refuse it now, its identity provider may have revoked it, and it may name the identity no more.
 */
async function isSecondTokenValid(
  db: Db,
  { secondary: { requireExtJwtSigner: required } }: StoredAuthPolicy,
  { secondSigner }: SessionCredential,
  actor: Actor & {
    readonly externalId: string | null
    readonly enrolledBySignerId: string | null
    readonly linkedSigners: string
  },
): Promise<boolean> {
  if (required === null) return true
  if (required !== secondSigner?.id) return false
  const linked = { ...actor, linkedSigners: readJsonColumn<readonly string[]>(actor.linkedSigners) }
  return isTokenAccepted(db, secondSigner, linked)
}

/** What decides whether a verified token of an identity still counts. */
type TokenHolder = Linked & NamedIdentity & Pick<Actor, 'isAdmin' | 'permissions'>

/**
 * Whether the signer is enabled and as it was when it verified the token of an identity, the token still names the identity, and its identity provider has
 * not revoked it.
 */
export async function isTokenAccepted(
  db: Db,
  { id, revision, token }: SignerRevision,
  identity: TokenHolder,
): Promise<boolean> {
  const signer = await findEnabledSignerTrust(db, id)
  if (signer?.revision !== revision || !isTrustedFor(signer, identity)) return false
  if (!namesIdentity(token, signer, identity)) return false
  return !isLinkedTo(identity, id) || (await findRevocation(db, id, token)) === undefined
}

/** The API account with the rights of its current role; undefined when it is inactive, expired or deleted, its credential is no longer valid, or its identity here has no access. */
export async function findAccountActor(
  db: Db,
  { actorId, credential, now }: Pick<OperationMeta, 'actorId' | 'credential' | 'now'>,
): Promise<Actor | undefined> {
  if (!isAccountIdentity(actorId) || !credential || 'sessionId' in credential) return undefined
  const [role, [row]] = await Promise.all([
    findAccountRole(db, { id: accountIdOf(actorId), credential, now }),
    identityById(db, actorId),
  ])
  if (row && !isUsable(row, now)) return undefined
  return role && { id: actorId, isAdmin: role === 'admin', permissions: [], role }
}
