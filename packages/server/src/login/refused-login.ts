import type { LiveSession } from '../session/live-sessions.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import {
  CERTIFICATE_REFUSALS,
  CODE_REFUSALS,
  type CodeRefusal,
  PASSKEY_REFUSALS,
  PASSWORD_REFUSALS,
  type PasskeyRefusal,
  type RefusalNames,
} from '../token/decision-reason.ts'
import type { RefusedLogin } from '../token/decision-recorder.ts'
import { explainBearer, type RefusedRequest } from '../token/explain-bearer.ts'
import type { LoginExplainer } from '../token/login-explainer.ts'
import { explainedIdentity, explainedPolicy } from '../token/login-explanation.ts'
import { quoted } from '../token/quoted.ts'
import type { TokenContext } from '../token/request-proofs.ts'
import type { CertificateLoginResult } from './certificate-login.ts'
import type { PasswordLoginResult } from './password-login.ts'
import type { TokenLoginRefusal } from './token-login.ts'

/** The tokens of a request, and what explains them. */
interface ExplainableTokens {
  readonly bearers: readonly string[]
  readonly explainer: Pick<LoginExplainer, 'explain'>
  readonly request: TokenContext
}

/** Builds the record of a refused token. The token is explained later. */
export function refusedJwt(
  request: RefusedRequest,
  { reason, signer, identityId, bearer }: TokenLoginRefusal,
  { bearers, explainer, request: tokenContext }: ExplainableTokens,
): RefusedLogin {
  const options = { isLimited: true, request: tokenContext }
  return {
    ...request,
    method: 'ext-jwt',
    reason,
    signerId: signer?.id,
    signerName: signer?.stored.name,
    identityId,
    explain: () => explainBearer(bearers, bearer, (token) => explainer.explain(token, 'ext-jwt', options)),
  }
}

/** Builds the record of a refused one-time code, without the code. */
export function refusedCode(
  request: RefusedRequest,
  reason: CodeRefusal,
  { identity, policy }: Pick<LiveSession, 'identity' | 'policy'>,
  now: number,
): RefusedLogin {
  return refused(request, { method: 'totp', reason, text: CODE_REFUSALS[reason], identity, policy }, now)
}

/** Builds the record of a refused password, without user name and password: users type passwords into the user name field. */
export function refusedPassword(
  request: RefusedRequest,
  { reason, ...found }: Extract<PasswordLoginResult, { loggedIn: false }>,
  now: number,
): RefusedLogin {
  return refused(request, { method: 'password', reason, text: PASSWORD_REFUSALS[reason], ...found }, now)
}

/** Builds the record of a refused passkey, at a login or as second factor. */
export function refusedPasskey(
  request: RefusedRequest,
  { reason, identity, policy }: Pick<Refusal, 'identity' | 'policy'> & { readonly reason: PasskeyRefusal },
  now: number,
): RefusedLogin {
  return refused(request, { method: 'passkey', reason, text: PASSKEY_REFUSALS[reason], identity, policy }, now)
}

/** Builds the record of a refused certificate, identified by its fingerprint. */
export function refusedCertificate(
  request: RefusedRequest,
  { reason, fingerprint, ca, externalId, ...found }: Extract<CertificateLoginResult, { loggedIn: false }>,
  now: number,
): RefusedLogin {
  const hints = [
    ...(fingerprint === undefined ? [] : [`the presented certificate has the fingerprint ${fingerprint}`]),
    ...(ca ? [`the CA ${quoted(ca.name)} issued the presented certificate`] : []),
  ]
  const refusal = {
    method: 'cert',
    reason,
    text: CERTIFICATE_REFUSALS[reason],
    hints,
    claimedIdentity: externalId,
    ...found,
  } as const
  return { ...refused(request, refusal, now), caId: ca?.id }
}

interface Refusal extends Pick<RefusedLogin, 'method' | 'reason'> {
  readonly identity: StoredIdentity | undefined
  readonly policy: StoredAuthPolicy | undefined
  readonly hints?: readonly string[]
  /** The identity that the credential names. */
  readonly claimedIdentity?: string | null | undefined
  text(names: RefusalNames): string
}

function refused(request: RefusedRequest, refusal: Refusal, now: number): RefusedLogin {
  const { method, reason, identity, policy, hints = [], claimedIdentity = null } = refusal
  const names = { identity: quoted(identity?.name ?? ''), policy: quoted(policy?.name ?? '') }
  return {
    ...request,
    method,
    reason,
    signerId: undefined,
    identityId: identity?.id,
    explain: () => ({
      signers: [],
      claimedIdentity,
      identity: explainedIdentity(identity, now),
      policy: explainedPolicy(policy),
      missing: [refusal.text(names)],
      hints,
    }),
  }
}

/** Builds the record of a login whose identity was disabled or deleted before the session started. */
export function refusedDisabledIdentity(request: RefusedRequest, method: RefusedLogin['method']): RefusedLogin {
  const missing = ['the identity was disabled or deleted, or its credential or signer changed, during the login']
  const explain = () => ({ signers: [], identity: null, policy: null, missing, hints: [] })
  return { ...request, method, reason: 'disabled', signerId: undefined, identityId: undefined, explain }
}
