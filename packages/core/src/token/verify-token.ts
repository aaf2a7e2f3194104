import { selectClaim } from '../claim/selector.ts'
import type { JsonObject } from '../json/json-value.ts'
import type { SignerKey, SignerKeys } from '../key/signer-key.ts'
import { type CheckOutcome, CheckRecord, formatCheck } from './check-outcome.ts'
import { checkAudience, checkIdentityClaim, checkIssuer, checkRequiredClaims } from './claim-checks.ts'
import type { UntrustedJws } from './jws.ts'
import { checkKey, checkKid, findKey } from './key-checks.ts'
import { readJws } from './read-jws.ts'
import { checkExpiry, checkIssuedAt, checkNotBefore, periodOf } from './time-checks.ts'
import {
  type AcceptedVerdict,
  CHECKS,
  type Check,
  type CheckName,
  RefusedVerdict,
  type Verdict,
  type VerifiedToken,
} from './verdict.ts'
import type { VerifiedTokenCache } from './verified-token-cache.ts'
import { verifySignature } from './verify-signature.ts'
import type { VerifySigner } from './verify-signer.ts'

export interface VerifyOptions {
  readonly cache?: VerifiedTokenCache
  /** For "explain": makes every check that can be made, although the first failure has decided. */
  readonly goesOnAfterRefusal?: boolean
  /** SHA-256 of the client certificate of this TLS connection, base64url, for tokens that are bound to one. */
  readonly presentedCertificateSha256?: string | undefined
}

interface CheckContext {
  readonly header: JsonObject
  readonly claims: JsonObject
  readonly signer: VerifySigner
  readonly keys: SignerKeys
  readonly key: SignerKey | undefined
  readonly nowMs: number
  readonly presentedCertificateSha256: string | undefined
}

/** A check that cannot be made (there is no key to check) answers undefined; then an earlier one has failed. */
type CheckStep = readonly [CheckName, (context: CheckContext) => CheckOutcome | undefined]

const STEPS_BEFORE_SIGNATURE: readonly CheckStep[] = [
  ['issuer', ({ claims, signer }) => checkIssuer(claims, signer)],
  ['audience', ({ claims, signer }) => checkAudience(claims, signer)],
  ['kid', ({ header, keys }) => checkKid(header, keys)],
  ['key', ({ header, key, nowMs }) => key && checkKey(header, key, nowMs)],
]

const STEPS_AFTER_SIGNATURE: readonly CheckStep[] = [
  ['expiry', ({ claims, signer, nowMs }) => checkExpiry(claims, signer, nowMs)],
  ['notBefore', ({ claims, signer, nowMs }) => checkNotBefore(claims, signer, nowMs)],
  ['issuedAt', ({ claims, signer, nowMs }) => checkIssuedAt(claims, signer, nowMs)],
  [
    'requiredClaims',
    ({ claims, signer, presentedCertificateSha256 }) => checkRequiredClaims(claims, signer, presentedCertificateSha256),
  ],
  ['identityClaim', ({ claims, signer }) => checkIdentityClaim(claims, signer)],
]

/**
 * The one function that decides whether a token is good for a signer at `nowMs`. The checks are made in the order of `CHECKS`: the cheap
 * ones before the signature, the claims that count after it. Never rejects: whatever a token holds ends in a verdict.
 */
export async function verifyToken(
  token: string | UntrustedJws,
  signer: VerifySigner,
  keys: SignerKeys,
  nowMs: number,
  options: VerifyOptions = {},
): Promise<Verdict> {
  const { cache, goesOnAfterRefusal = false, presentedCertificateSha256 } = options
  const reading = typeof token === 'string' ? readJws(token, cache) : { ok: true as const, jws: token }
  if (!reading.ok) return new RefusedVerdict(reading.reason, () => [formatCheck(reading.detail)])
  const { jws } = reading
  const known = cache?.findVerdict(jws.digest, signer, keys, nowMs)
  if (known) return known

  const { untrustedHeader: header, untrustedClaims: claims } = jws
  const key = findKey(header, keys)
  const context: CheckContext = { header, claims, signer, keys, key, nowMs, presentedCertificateSha256 }
  const record = new CheckRecord(goesOnAfterRefusal)
  if (!makeChecks(STEPS_BEFORE_SIGNATURE, context, record)) return record.refuse()
  if (key && !record.add('signature', signatureOutcome(key, await verifySignature(jws, key)))) return record.refuse()
  if (!makeChecks(STEPS_AFTER_SIGNATURE, context, record)) return record.refuse()
  if (!key || record.refusal !== undefined) return record.refuse()

  const verdict = accept(jws, { ...context, key }, record)
  // A verdict that rests on this connection's certificate says nothing about the next connection.
  if (claims.cnf === undefined) cache?.remember(jws, verdict, signer)
  return verdict
}

/** Answers whether to go on. */
function makeChecks(steps: readonly CheckStep[], context: CheckContext, record: CheckRecord): boolean {
  return steps.every(([name, check]) => {
    const outcome = check(context)
    return outcome === undefined || record.add(name, outcome)
  })
}

function signatureOutcome(key: SignerKey, good: boolean): CheckOutcome {
  const expected = () => `made by the key with thumbprint ${key.thumbprint}`
  return good
    ? { expected, received: expected }
    : { expected, received: 'not made by it', refusal: 'signature-invalid' }
}

type PassedContext = CheckContext & { readonly key: SignerKey }

function accept(jws: UntrustedJws, context: PassedContext, record: CheckRecord): AcceptedVerdict {
  const { signer, key } = context
  const identityClaim = selectClaim(signer.claimsProperty, jws.untrustedClaims)
  // Cannot happen while the tables above are whole; an acceptance that lacks a check must not leave this file.
  if (record.count !== CHECKS.length || typeof identityClaim !== 'string') throw new TypeError('a check is missing')
  const token = {
    signerId: signer.id,
    claims: jws.untrustedClaims,
    identityClaim,
    kid: key.kid,
    alg: String(jws.untrustedHeader.alg),
    keyThumbprint: key.thumbprint,
    expiresAtMs: periodOf(jws.untrustedClaims, signer).untilMs,
  }
  return new Acceptance(token, context)
}

/**
 * A class, since a getter in an object literal would cost every verdict a hidden class of its own, which outlives it. What the checks found is
 * found again when somebody asks: a verdict may be kept for as long as its token lives, and it is asked by few.
 */
class Acceptance implements AcceptedVerdict {
  readonly accepted = true
  readonly reason = 'accepted'
  readonly token: VerifiedToken
  readonly #context: PassedContext

  constructor(token: VerifiedToken, context: PassedContext) {
    this.token = token
    this.#context = context
  }

  get checks(): readonly Check[] {
    const record = new CheckRecord(false)
    makeChecks(STEPS_BEFORE_SIGNATURE, this.#context, record)
    record.add('signature', signatureOutcome(this.#context.key, true))
    makeChecks(STEPS_AFTER_SIGNATURE, this.#context, record)
    return record.checks
  }
}
