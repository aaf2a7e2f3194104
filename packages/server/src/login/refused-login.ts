import type { LiveSession } from '../session/live-sessions.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import {
  CERTIFICATE_REFUSALS,
  CODE_REFUSALS,
  type CodeRefusal,
  PASSWORD_REFUSALS,
  type RefusalNames,
} from '../token/decision-reason.ts'
import type { RefusedSignIn } from '../token/decision-recorder.ts'
import { explainBearer, type RefusedRequest } from '../token/explain-bearer.ts'
import type { LoginExplainer } from '../token/login-explainer.ts'
import { explainedIdentity, explainedPolicy } from '../token/login-explanation.ts'
import { quoted } from '../token/quoted.ts'
import type { CertOutcome } from './certificate-login.ts'
import type { PasswordOutcome } from './password-login.ts'
import type { JwtRefusal } from './token-login.ts'

/** A refused token, with the explanation of that very token for later. */
export function refusedJwt(
  request: RefusedRequest,
  { reason, signer, identityId, bearer }: JwtRefusal,
  bearers: readonly string[],
  explainer: Pick<LoginExplainer, 'explain'>,
): RefusedSignIn {
  return {
    ...request,
    method: 'ext-jwt',
    reason,
    signerId: signer?.id,
    identityId,
    explain: () => explainBearer(bearers, bearer, (token) => explainer.explain(token, 'ext-jwt', { isHurried: true })),
  }
}

/** A refused one-time code. The code itself is not recorded. */
export function refusedCode(
  request: RefusedRequest,
  reason: CodeRefusal,
  { identity, policy }: Pick<LiveSession, 'identity' | 'policy'>,
  now: number,
): RefusedSignIn {
  return refused(request, { method: 'totp', reason, words: CODE_REFUSALS[reason], identity, policy }, now)
}

/** A refused password. The user name is left out as the password is: people type one in the place of the other. */
export function refusedPassword(
  request: RefusedRequest,
  { reason, ...of }: Extract<PasswordOutcome, { signedIn: false }>,
  now: number,
): RefusedSignIn {
  return refused(request, { method: 'password', reason, words: PASSWORD_REFUSALS[reason], ...of }, now)
}

/** A refused certificate, named by its fingerprint. */
export function refusedCertificate(
  request: RefusedRequest,
  { reason, fingerprint, ...of }: Extract<CertOutcome, { signedIn: false }>,
  now: number,
): RefusedSignIn {
  const hints = fingerprint === undefined ? [] : [`the presented certificate has the fingerprint ${fingerprint}`]
  return refused(request, { method: 'cert', reason, words: CERTIFICATE_REFUSALS[reason], hints, ...of }, now)
}

interface Refusal extends Pick<RefusedSignIn, 'method' | 'reason'> {
  readonly identity: StoredIdentity | undefined
  readonly policy: StoredAuthPolicy | undefined
  readonly hints?: readonly string[]
  words(names: RefusalNames): string
}

function refused(request: RefusedRequest, refusal: Refusal, now: number): RefusedSignIn {
  const { method, reason, identity, policy, hints = [] } = refusal
  const names = { identity: quoted(identity?.name ?? ''), policy: quoted(policy?.name ?? '') }
  return {
    ...request,
    method,
    reason,
    signerId: undefined,
    identityId: identity?.id,
    explain: () => ({
      signers: [],
      identity: explainedIdentity(identity, now),
      policy: explainedPolicy(policy),
      missing: [refusal.words(names)],
      hints,
    }),
  }
}

/** A login whose identity was disabled or deleted before its session was open. */
export function refusedMeanwhile(request: RefusedRequest, method: RefusedSignIn['method']): RefusedSignIn {
  const missing = ['the identity was disabled or deleted at this very moment']
  const explain = () => ({ signers: [], identity: null, policy: null, missing, hints: [] })
  return { ...request, method, reason: 'disabled', signerId: undefined, identityId: undefined, explain }
}
