import {
  addToUri,
  findProofRefusal,
  isRegisteredUri,
  MissingTokenError,
  OAuthError,
  readClient,
  readTokenRequest,
} from '@countersign/core'
import type { SecondFactor } from '../../login/second-factor.ts'
import type { Oidc } from '../../oidc/create-oidc.ts'
import { endOidcSession } from '../../operations/oidc/open-session.ts'
import { endOidcSessionsOf, type RevokeToken, revokeToken } from '../../operations/oidc/revoke-tokens.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Settings } from '../../platform/settings/index.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import { SYSTEM_ACTOR } from '../../store/actor.ts'
import { findRevocation } from '../../store/reads/revocation-reads.ts'
import { findLiveSessionRow } from '../../store/reads/session-reads.ts'
import type { Store } from '../../store/store.ts'
import type { Call } from '../pipeline/call.ts'
import { checkSessionProof } from '../pipeline/check-session-proof.ts'
import type { Query } from '../pipeline/query.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { checkInLogin } from './login-steps.ts'
import { issuerFor, NO_STORE, oidcRoute, PLAIN_TYPE, readForm, redirect } from './oidc-call.ts'

/**
 * Uses the proof of a request to the token endpoint, and returns its key; null without one. For a session that is bound to a key, the proof must be of
 * this key. Throws the error of RFC 9449 sections 5 and 8.
 */
async function proveKey(
  call: Pick<Call, 'proofs' | 'untrustedHead'>,
  { boundKey, identity }: Pick<LiveSession, 'boundKey' | 'identity'>,
): Promise<string | null> {
  if (boundKey === null && call.untrustedHead.headers.dpop === undefined) return null
  const { proofs } = call
  const verdict = await proofs.proofWithoutToken()
  const key = boundKey ?? verdict.untrustedThumbprint ?? ''
  const refusal = findProofRefusal(verdict, key)
  if (refusal === 'proof-nonce-missing')
    throw new OAuthError('use_dpop_nonce', 'the proof needs the nonce of the header DPoP-Nonce')
  if (refusal) {
    const isBound = boundKey !== null
    const text = isBound
      ? 'the session is bound to a key, of which this is no proof'
      : 'the header DPoP is no valid proof'
    throw new OAuthError('invalid_dpop_proof', text)
  }
  if (!(await proofs.use(verdict.use, identity.id)))
    throw new OAuthError('invalid_dpop_proof', 'the proof was used before')
  return key
}

export interface TokenRouteParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly clock: Clock
  readonly settings: Pick<Settings, 'oidc'>
  readonly secondFactor: Pick<SecondFactor, 'check' | 'findMissing'>
  readonly oidc: Pick<Oidc, 'issuers' | 'tokens' | 'tokenEndpoint' | 'bearerSessions'>
}

/** Tokens for codes and for other tokens, and the end of tokens and sessions. */
export function tokenRoutes({ store, clock, settings, secondFactor, oidc }: TokenRouteParts): Route[] {
  const { issuers, tokens, tokenEndpoint, bearerSessions } = oidc
  const system = () => ({ actorId: SYSTEM_ACTOR.id, now: clock.now() })

  const grant = async (call: Call): Promise<RouteResponse> => {
    const issuer = issuerFor(issuers, call)
    const request = readTokenRequest(readForm(call), call.untrustedHead.headers.authorization)
    const { clientAddress: address } = call
    const json = await tokenEndpoint.grant(request, {
      issuer,
      address,
      fingerprint: () => call.clientFingerprint(),
      proveKey: (session) => proveKey(call, session),
      lacksFactor: async (session, secondSigner) => {
        const { untrustedBearers: bearers, tokenContext: request } = call
        const given = { session, secondSigner, bearers, request }
        return (await checkInLogin({ store, secondFactor }, given)).missing.length > 0
      },
    })
    return { status: 200, headers: { ...NO_STORE, pragma: 'no-cache' }, json }
  }

  // A request to end what has ended already is repeated without a write.
  const isLive = async (sessionId: string): Promise<boolean> =>
    (await findLiveSessionRow(store.db, sessionId, clock.now())) !== undefined
  const revokeOnce = async (token: RevokeToken): Promise<void> => {
    const known = await findRevocation(store.db, token.jti, clock.now())
    if (!known || known.expires_at < token.expiresAt) await store.run(revokeToken, token, system())
  }

  /** Only its own client can revoke a token, and only a token can be revoked. All else is accepted without effect (RFC 7009 section 2.2). */
  const revoke = async (call: Call): Promise<RouteResponse> => {
    issuerFor(issuers, call)
    const form = readForm(call)
    const token = form.get('token')
    if (!token) throw new OAuthError('invalid_request', 'token missing')
    const clientId = readClient(form, call.untrustedHead.headers.authorization)
    for (const use of ['access', 'refresh'] as const) {
      const read = await tokens.read(token, use)
      if (!read.ok || read.claims.clientId !== clientId) continue
      const { jti, sessionId, expiresAt } = read.claims
      if (use === 'access') await revokeOnce({ jti, expiresAt })
      else if (await isLive(sessionId)) await store.run(endOidcSession, { sessionId }, system())
    }
    return { status: 200, headers: NO_STORE, bytes: { content: Buffer.alloc(0), type: PLAIN_TYPE } }
  }

  /** Other services also ask here whether a token is still good: what the edge APIs refuse is refused here. */
  const showUser = async (call: Call): Promise<RouteResponse> => {
    issuerFor(issuers, call)
    const { untrustedBearers: bearers } = call
    if (bearers.length === 0) throw new MissingTokenError()
    const found = await bearerSessions.find({
      bearers,
      fingerprint: () => call.clientFingerprint(),
      checkProof: (session, token) => checkSessionProof(session, token, call.proofs),
      isUse: true,
    })
    if (typeof found === 'string') throw new OAuthError('invalid_token', 'access token invalid')
    const missing = await secondFactor.findMissing(found.session, found.bearers, call.tokenContext)
    if (missing.length > 0) throw new OAuthError('invalid_token', 'the session lacks a second factor')
    const { id, name } = found.session.identity
    return { status: 200, headers: NO_STORE, json: { sub: id, name } }
  }

  const endSession = async (call: Call, parameters: Query): Promise<RouteResponse> => {
    const issuer = issuerFor(issuers, call)
    const hint = parameters.get('id_token_hint')
    const uri = parameters.get('post_logout_redirect_uri')
    const named = hint ? await tokens.readIdTokenHint(hint) : undefined
    if (hint && !named) throw new OAuthError('invalid_request', 'id_token_hint is invalid')
    if (uri && !(named && isRegisteredUri(uri, settings.oidc.postLogoutUris))) {
      throw new OAuthError('invalid_request', 'post_logout_redirect_uri invalid')
    }
    // The hint of a session that has ended ends no later session.
    if (named && (await isLive(named.sessionId))) {
      await store.run(endOidcSessionsOf, { sessionId: named.sessionId }, system())
    }
    return redirect(uri ? addToUri(uri, { state: parameters.get('state') }) : `${issuer}/logged-out`)
  }

  return [
    oidcRoute({ method: 'POST', paths: ['/oauth/token'], handle: grant }),
    oidcRoute({
      method: 'GET',
      paths: ['/oauth/token'],
      handle: () => {
        throw new OAuthError('invalid_request', 'grant_type missing')
      },
    }),
    oidcRoute({ method: 'POST', paths: ['/revoke'], handle: revoke }),
    oidcRoute({ method: 'GET', paths: ['/userinfo'], handle: showUser }),
    oidcRoute({ method: 'POST', paths: ['/userinfo'], handle: showUser }),
    oidcRoute({ method: 'GET', paths: ['/end_session'], handle: (call) => endSession(call, call.query) }),
    oidcRoute({ method: 'POST', paths: ['/end_session'], handle: async (call) => endSession(call, readForm(call)) }),
  ]
}
