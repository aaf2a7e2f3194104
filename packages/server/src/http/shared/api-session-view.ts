import type { SessionTokenClaims } from '@countersign/core'
import type { MissingFactor } from '../../login/second-factor.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import { stateOfSession } from '../../session/session-state.ts'
import { sessionFromRow } from '../../store/api-session-row.ts'
import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import type { ApiSessionRow } from '../../store/schema.ts'
import { certificateMembers } from '../../store/session-certificate.ts'
import { selfLink, timestamp } from '../pipeline/envelope.ts'
import { authQueries } from './auth-queries.ts'
import { type IdentityName, identityReference } from './identity-view.ts'

/** The members of a session that are shown, wherever it was read. */
export interface ShownSession
  extends Pick<
    LiveSession,
    | 'id'
    | 'authenticatorId'
    | 'certificate'
    | 'ipAddress'
    | 'configTypes'
    | 'createdAt'
    | 'updatedAt'
    | 'lastActivityAt'
    | 'passedTotpId'
    | 'boundKey'
  > {
  readonly identity: IdentityName & Pick<LiveSession['identity'], 'verifiedTotpId'>
}

/** A session without its token; `self` is the collection through which the caller reads it. */
export function apiSessionView(session: ShownSession, self = 'api-sessions') {
  const { id, identity } = session
  return {
    _links: { ...selfLink(self, id), sessions: { href: `./api-sessions/${id}/sessions` } },
    id,
    createdAt: timestamp(session.createdAt),
    updatedAt: timestamp(session.updatedAt),
    tags: {},
    identity: identityReference(identity),
    identityId: identity.id,
    ipAddress: session.ipAddress,
    configTypes: session.configTypes,
    authQueries: [],
    isMfaRequired: identity.verifiedTotpId !== null,
    isMfaComplete: identity.verifiedTotpId !== null && session.passedTotpId === identity.verifiedTotpId,
    authenticatorId: session.authenticatorId,
    ...certificateMembers(session.certificate),
    lastActivityAt: timestamp(session.lastActivityAt),
    cachedLastActivityAt: timestamp(session.lastActivityAt),
    ...(session.boundKey !== null && { boundKey: session.boundKey }),
  }
}

interface ListedSession extends Pick<ShownSession, 'identity'> {
  readonly row: ApiSessionRow
  readonly policy: StoredAuthPolicy
  readonly certificate?: ShownSession['certificate']
}

/** A session in a list: how it was opened, by which program, and what it can do now. */
export function listedSessionView({ row, identity, policy, certificate }: ListedSession, now: number, self?: string) {
  const session = sessionFromRow(row)
  const { method, signerId, expiresAt, boundKey } = session
  return {
    ...apiSessionView({ ...session, identity, certificate }, self),
    method,
    signerId,
    client: row.client,
    boundKey,
    expiresAt: timestamp(expiresAt),
    ...stateOfSession(session, identity.verifiedTotpId, policy, now),
  }
}

export interface CurrentSession extends ShownSession, Pick<LiveSession, 'expiresAt'> {}

/** A session with its token, for the client that sent or has just received the token. */
export function currentSessionView(
  session: CurrentSession,
  token: string,
  { now, missing }: { readonly now: number; readonly missing: readonly MissingFactor[] },
) {
  return {
    ...apiSessionView(session),
    authQueries: authQueries(missing),
    token,
    expiresAt: timestamp(session.expiresAt),
    expirationSeconds: expirationSeconds(session, now),
  }
}

/** The session that an access token names. Its times are those of the token, which is renewed without a new session. */
export function bearerSessionView(session: CurrentSession, { token, claims, ipAddress, now, missing }: BearerView) {
  const shown = { ...session, createdAt: claims.issuedAt, updatedAt: claims.issuedAt, ipAddress }
  return currentSessionView({ ...shown, expiresAt: claims.expiresAt }, token, { now, missing })
}

interface BearerView {
  readonly token: string
  readonly claims: Pick<SessionTokenClaims, 'issuedAt' | 'expiresAt'>
  /** Of the request, with the port. */
  readonly ipAddress: string
  readonly now: number
  readonly missing: readonly MissingFactor[]
}

export function expirationSeconds({ expiresAt }: Pick<CurrentSession, 'expiresAt'>, now: number): number {
  return Math.max(0, Math.round((expiresAt - now) / 1000))
}

/** The time format of Go, which existing clients parse. */
export function expiresAtHeader(at: number): string {
  return `${timestamp(at).replace('T', ' ').replace('Z', '')} +0000 UTC`
}
