import type { LiveSession } from '../session/live-sessions.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import type { CertificateRefusal, CodeRefusal, PasswordRefusal } from '../token/decision-reason.ts'
import type { RefusedSignIn } from '../token/decision-recorder.ts'
import type { ExplainSignIn } from '../token/explain-login.ts'
import { explainedIdentity, explainedPolicy, type SignInExplanation } from '../token/login-explanation.ts'
import { quoted } from '../token/quoted.ts'
import type { CertOutcome } from './certificate-login.ts'
import type { PasswordOutcome } from './password-login.ts'
import type { JwtRefusal } from './token-login.ts'

/** What a decision tells of the request that was refused. */
export type RefusedRequest = Pick<RefusedSignIn, 'id' | 'remoteAddress'>

const NO_TOKEN: SignInExplanation = {
  signers: [],
  identity: null,
  policy: null,
  missing: ['a token'],
  hints: ['no token was presented: send it in the header "Authorization: Bearer …"'],
}

/** A token that was refused, with the explanation of that very token for later. */
export function refusedJwt(
  request: RefusedRequest,
  { reason, signer, identityId, bearer }: JwtRefusal,
  bearers: readonly string[],
  explainSignIn: ExplainSignIn,
): RefusedSignIn {
  return {
    ...request,
    method: 'ext-jwt',
    reason,
    signerId: signer?.id,
    identityId,
    explain: () => explainBearer(bearers, bearer, (token) => explainSignIn(token, 'ext-jwt', { hurried: true })),
  }
}

/** The explanation of one of the presented tokens, which says which one; undefined for none of them. */
export async function explainBearer(
  bearers: readonly string[],
  bearer: number | undefined,
  explain: (token: string) => Promise<SignInExplanation>,
): Promise<SignInExplanation> {
  const token = bearer === undefined ? undefined : bearers[bearer]
  if (token === undefined || bearer === undefined) return NO_TOKEN
  const explanation = await explain(token)
  if (bearers.length === 1) return explanation
  const which = `${bearers.length} tokens were presented: this is about the one in place ${bearer + 1}`
  return { ...explanation, hints: [which, ...explanation.hints] }
}

interface Names {
  readonly identity: string
  readonly policy: string
}

const disabled = ({ identity }: Names) => `the identity ${identity} is disabled: enable it`

const MISSING_PASSWORD: Readonly<Record<PasswordRefusal, (names: Names) => string>> = {
  disabled,
  'unknown-user': () => 'an identity with this user name',
  'wrong-password': ({ identity }) => `the right password of the identity ${identity}`,
  'not-allowed': ({ policy }) => `the policy ${policy} does not allow passwords`,
}

const MISSING_CERTIFICATE: Readonly<Record<CertificateRefusal, (names: Names) => string>> = {
  disabled,
  'certificate-missing': () => 'a client certificate on the TLS connection',
  'certificate-malformed': () => 'a client certificate in strict DER',
  'certificate-foreign': () =>
    'a client certificate that this controller has issued: the one presented was signed by somebody else',
  'certificate-not-for-clients': () => 'a certificate that is meant for the authentication of clients and is no CA',
  'certificate-unknown': () =>
    'an authenticator that records the presented certificate: it was issued here, but its authenticator is gone, it has been renewed since, or its enrollment was never finished',
  'certificate-not-yet-valid': () => 'a certificate that is valid now: the one presented is not valid yet',
  'certificate-expired': ({ policy }) =>
    `a certificate that is valid now: the one presented has expired, and the policy ${policy} does not allow that`,
  'not-allowed': ({ policy }) => `the policy ${policy} does not allow certificates`,
}

const MISSING_CODE: Readonly<Record<CodeRefusal, (names: Names) => string>> = {
  'wrong-code': ({ identity }) =>
    `a one-time code or recovery code of the identity ${identity} that was not used before`,
  'too-many-codes': ({ identity }) => `time: there were too many wrong codes for the identity ${identity}`,
}

/** A one-time code that was refused; it is not told. */
export function refusedCode(
  request: RefusedRequest,
  reason: CodeRefusal,
  { identity, policy }: Pick<LiveSession, 'identity' | 'policy'>,
  now: number,
): RefusedSignIn {
  return refused(request, { method: 'totp', reason, words: MISSING_CODE[reason], identity, policy }, now)
}

/** A password that was refused. The user name is left out as the password is: people type one in the place of the other. */
export function refusedPassword(
  request: RefusedRequest,
  { reason, ...of }: Extract<PasswordOutcome, { signedIn: false }>,
  now: number,
): RefusedSignIn {
  return refused(request, { method: 'password', reason, words: MISSING_PASSWORD[reason], ...of }, now)
}

/** A certificate that was refused; it is named by its fingerprint. */
export function refusedCertificate(
  request: RefusedRequest,
  { reason, fingerprint, ...of }: Extract<CertOutcome, { signedIn: false }>,
  now: number,
): RefusedSignIn {
  const hints = fingerprint === undefined ? [] : [`the presented certificate has the fingerprint ${fingerprint}`]
  return refused(request, { method: 'cert', reason, words: MISSING_CERTIFICATE[reason], hints, ...of }, now)
}

interface Refusal extends Pick<RefusedSignIn, 'method' | 'reason'> {
  readonly identity: StoredIdentity | undefined
  readonly policy: StoredAuthPolicy | undefined
  readonly hints?: readonly string[]
  words(names: Names): string
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

/** Somebody who was let in, and was disabled or deleted before his session was open. */
export function refusedMeanwhile(request: RefusedRequest, method: RefusedSignIn['method']): RefusedSignIn {
  const missing = ['the identity was disabled or deleted at this very moment']
  const explain = () => ({ signers: [], identity: null, policy: null, missing, hints: [] })
  return { ...request, method, reason: 'disabled', signerId: undefined, identityId: undefined, explain }
}
