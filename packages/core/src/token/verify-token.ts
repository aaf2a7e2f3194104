import { selectClaim } from '../claim/selector.ts'
import type { JsonObject } from '../json/json-value.ts'
import type { SignerKey, SignerKeys } from '../key/signer-key.ts'
import { CheckRecord, type CheckResult, refuseUnreadable } from './check-result.ts'
import { checkAudience, checkIdentityClaim, checkIssuer, checkRequiredClaims } from './claim-checks.ts'
import type { UntrustedJws } from './jws.ts'
import { checkKey, checkKid, findKey } from './key-checks.ts'
import { readJws } from './read-jws.ts'
import { checkExpiry, checkIssuedAt, checkNotBefore, validityPeriod } from './time-checks.ts'
import type { TokenPurpose } from './token-purpose.ts'
import {
  type AcceptedVerdict,
  CHECKS,
  type Check,
  type CheckName,
  type RefusalReason,
  RefusedVerdict,
  type Verdict,
  type VerifiedToken,
} from './verdict.ts'
import type { VerifiedTokenCache } from './verified-token-cache.ts'
import { type CheckSignature, verifySignature } from './verify-signature.ts'
import type { VerifySigner } from './verify-signer.ts'

export interface VerifyOptions {
  readonly cache?: VerifiedTokenCache
  /** For "explain": runs every check that can be made, although the first refusal decides. */
  readonly continueAfterRefusal?: boolean
  /** Verifies signatures; on Node's thread pool by default. */
  readonly checkSignature?: CheckSignature
  /** SHA-256 of this TLS connection's client certificate, base64url, for certificate-bound tokens. */
  readonly presentedCertificateSha256?: string | undefined
}

/** The inputs for checking one token against one signer at one time. */
class Verification {
  readonly header: JsonObject
  readonly claims: JsonObject
  readonly signer: VerifySigner
  readonly keys: SignerKeys
  readonly key: SignerKey | undefined
  readonly nowMs: number
  readonly presentedCertificateSha256: string | undefined
  readonly purpose: TokenPurpose
  /** Undefined until the signature is verified, which needs a key. */
  signatureIsValid: boolean | undefined

  constructor(
    { untrustedHeader: header, untrustedClaims: claims, purpose }: UntrustedJws,
    signer: VerifySigner,
    keys: SignerKeys,
    nowMs: number,
    presentedCertificateSha256: string | undefined,
  ) {
    this.header = header
    this.claims = claims
    this.signer = signer
    this.keys = keys
    this.key = findKey(header, keys)
    this.nowMs = nowMs
    this.presentedCertificateSha256 = presentedCertificateSha256
    this.purpose = purpose
  }
}

interface Step {
  readonly name: CheckName
  /** Undefined when the check cannot be made for lack of a key, where an earlier check has failed, or is only for logins. */
  run(verification: Verification): CheckResult | undefined
}

const STEPS_BEFORE_SIGNATURE: readonly Step[] = [
  { name: 'issuer', run: ({ claims, signer }) => checkIssuer(claims, signer) },
  { name: 'audience', run: ({ claims, signer }) => checkAudience(claims, signer) },
  { name: 'kid', run: ({ header, keys }) => checkKid(header, keys) },
  { name: 'key', run: ({ header, key, nowMs }) => key && checkKey(header, key, nowMs) },
]

const STEPS_FROM_SIGNATURE: readonly Step[] = [
  {
    name: 'signature',
    run: ({ key, signatureIsValid }) => key && checkSignatureResult(key, signatureIsValid === true),
  },
  { name: 'expiry', run: ({ claims, signer, nowMs, purpose }) => checkExpiry(claims, signer, nowMs, purpose) },
  { name: 'notBefore', run: ({ claims, signer, nowMs }) => checkNotBefore(claims, signer, nowMs) },
  { name: 'issuedAt', run: ({ claims, signer, nowMs, purpose }) => checkIssuedAt(claims, signer, nowMs, purpose) },
  {
    name: 'requiredClaims',
    run: ({ claims, signer, presentedCertificateSha256, purpose }) =>
      purpose === 'login' ? checkRequiredClaims(claims, signer, presentedCertificateSha256) : undefined,
  },
  {
    name: 'identityClaim',
    run: ({ claims, signer, purpose }) => (purpose === 'login' ? checkIdentityClaim(claims, signer) : undefined),
  },
]

const STEPS: readonly Step[] = [...STEPS_BEFORE_SIGNATURE, ...STEPS_FROM_SIGNATURE]

// `readJws` makes the format check. Fail at start-up when a check is in neither table.
if (['format', ...STEPS.map(({ name }) => name)].join() !== CHECKS.join()) throw new TypeError('a check is missing')

/**
 * Decides whether `signer` accepts a token at `nowMs`. No other function accepts tokens. Runs the checks in the order of `CHECKS`: cheap ones
 * before the signature, the remaining claims after it. A text is verified as a token for logging in; for another purpose, pass what `readJws` read
 * for it. Every token content ends in a verdict: rejects only when `checkSignature` does.
 */
export async function verifyToken(
  token: string | UntrustedJws,
  signer: VerifySigner,
  keys: SignerKeys,
  nowMs: number,
  options: VerifyOptions = {},
): Promise<Verdict> {
  const { cache: loginCache, continueAfterRefusal = false, checkSignature, presentedCertificateSha256 } = options
  const reading = typeof token === 'string' ? readJws(token, loginCache) : { ok: true as const, jws: token }
  if (!reading.ok) return refuseUnreadable(reading)
  const { jws } = reading
  // Other tokens are used once.
  const cache = jws.purpose === 'login' ? loginCache : undefined
  const known = cache?.findVerdict(jws.digest, signer, keys, nowMs)
  if (known) return known

  const verification = new Verification(jws, signer, keys, nowMs, presentedCertificateSha256)
  const { key } = verification
  const early = findRefusal(STEPS_BEFORE_SIGNATURE, verification)
  if (early !== undefined && !continueAfterRefusal) return refuse(early, verification, false)
  if (key) verification.signatureIsValid = await verifySignature(jws, key, checkSignature)
  const refusal = early ?? findRefusal(STEPS_FROM_SIGNATURE, verification)
  if (refusal !== undefined) return refuse(refusal, verification, continueAfterRefusal)

  const verdict = accept(jws, verification)
  // The verdict on a certificate-bound token depends on this connection's certificate, so it is not cached.
  if (jws.untrustedClaims.cnf === undefined) cache?.remember(jws, verdict, signer)
  return verdict
}

function findRefusal(steps: readonly Step[], verification: Verification): RefusalReason | undefined {
  for (const step of steps) {
    const refusal = step.run(verification)?.refusal
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function refuse(reason: RefusalReason, verification: Verification, continueAfterRefusal: boolean): RefusedVerdict {
  return new RefusedVerdict(reason, () => describeChecks(verification, continueAfterRefusal))
}

/** Runs the checks again to describe them. Only called for verdicts that are displayed. */
function describeChecks(verification: Verification, continueAfterRefusal: boolean): Check[] {
  const record = new CheckRecord(continueAfterRefusal)
  for (const { name, run } of STEPS) {
    const result = run(verification)
    if (result && !record.add(name, result)) break
  }
  return record.checks
}

function checkSignatureResult(key: SignerKey, isValid: boolean): CheckResult {
  const expected = () => `signed by the key with thumbprint ${key.thumbprint}`
  return isValid
    ? { expected, received: expected }
    : { expected, received: 'not signed by this key', refusal: 'signature-invalid' }
}

function accept(jws: UntrustedJws, verification: Verification): AcceptedVerdict {
  const { signer, key, purpose } = verification
  // A logout or an event selects identities by other rules: it has no claim that logs one in.
  const identityClaim = purpose === 'login' ? selectClaim(signer.claimsProperty, jws.untrustedClaims) : ''
  // Unreachable while the tables above are complete: never accept a token without a key and a valid signature.
  if (!key || verification.signatureIsValid !== true || typeof identityClaim !== 'string')
    throw new TypeError('a check is missing')
  const token = {
    signerId: signer.id,
    claims: jws.untrustedClaims,
    identityClaim,
    kid: key.kid,
    alg: String(jws.untrustedHeader.alg),
    keyThumbprint: key.thumbprint,
    expiresAtMs: validityPeriod(jws.untrustedClaims, signer).untilMs,
  }
  return new LazyAcceptedVerdict(token, verification)
}

/** A class, because a getter in an object literal creates a hidden class per verdict, which outlives the verdict. */
class LazyAcceptedVerdict implements AcceptedVerdict {
  readonly accepted = true
  readonly reason = 'accepted'
  readonly token: VerifiedToken
  readonly #verification: Verification

  constructor(token: VerifiedToken, verification: Verification) {
    this.token = token
    this.#verification = verification
  }

  get checks(): readonly Check[] {
    return describeChecks(this.#verification, false)
  }
}
