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
  /** For "explain": makes every check that can be made, although the first failure has decided. */
  readonly goesOnAfterRefusal?: boolean
  /** Where signatures are checked; on Node's pool unless told otherwise. */
  readonly checkSignature?: CheckSignature
  /** SHA-256 of the client certificate of this TLS connection, base64url, for tokens that are bound to one. */
  readonly presentedCertificateSha256?: string | undefined
}

/** One token before one signer, at one moment. */
class Judging {
  readonly header: JsonObject
  readonly claims: JsonObject
  readonly signer: VerifySigner
  readonly keys: SignerKeys
  readonly key: SignerKey | undefined
  readonly nowMs: number
  readonly presentedCertificateSha256: string | undefined
  /** Known once there was a key to ask. */
  signatureIsGood: boolean | undefined

  constructor(
    { untrustedHeader: header, untrustedClaims: claims }: UntrustedJws,
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
  }
}

interface Step {
  readonly name: CheckName
  /** What the check found; undefined when it cannot be made (there is no key to check), since then an earlier one has failed. */
  find(judging: Judging): CheckOutcome | undefined
}

const STEPS_BEFORE_SIGNATURE: readonly Step[] = [
  { name: 'issuer', find: ({ claims, signer }) => checkIssuer(claims, signer) },
  { name: 'audience', find: ({ claims, signer }) => checkAudience(claims, signer) },
  { name: 'kid', find: ({ header, keys }) => checkKid(header, keys) },
  { name: 'key', find: ({ header, key, nowMs }) => key && checkKey(header, key, nowMs) },
]

const STEPS_FROM_SIGNATURE: readonly Step[] = [
  { name: 'signature', find: ({ key, signatureIsGood }) => key && judgeSignature(key, signatureIsGood === true) },
  { name: 'expiry', find: ({ claims, signer, nowMs }) => checkExpiry(claims, signer, nowMs) },
  { name: 'notBefore', find: ({ claims, signer, nowMs }) => checkNotBefore(claims, signer, nowMs) },
  { name: 'issuedAt', find: ({ claims, signer, nowMs }) => checkIssuedAt(claims, signer, nowMs) },
  {
    name: 'requiredClaims',
    find: ({ claims, signer, presentedCertificateSha256 }) =>
      checkRequiredClaims(claims, signer, presentedCertificateSha256),
  },
  { name: 'identityClaim', find: ({ claims, signer }) => checkIdentityClaim(claims, signer) },
]

const STEPS: readonly Step[] = [...STEPS_BEFORE_SIGNATURE, ...STEPS_FROM_SIGNATURE]

// The form is checked by reading. A check that is in no table must not be forgotten silently.
if (['format', ...STEPS.map(({ name }) => name)].join() !== CHECKS.join()) throw new TypeError('a check is missing')

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
  const { cache, goesOnAfterRefusal = false, checkSignature, presentedCertificateSha256 } = options
  const reading = typeof token === 'string' ? readJws(token, cache) : { ok: true as const, jws: token }
  if (!reading.ok) return new RefusedVerdict(reading.reason, () => [formatCheck(reading.detail)])
  const { jws } = reading
  const known = cache?.findVerdict(jws.digest, signer, keys, nowMs)
  if (known) return known

  const judging = new Judging(jws, signer, keys, nowMs, presentedCertificateSha256)
  const { key } = judging
  const early = findRefusal(STEPS_BEFORE_SIGNATURE, judging)
  if (early !== undefined && !goesOnAfterRefusal) return refusedFor(early, judging, false)
  if (key) judging.signatureIsGood = await verifySignature(jws, key, checkSignature)
  const refusal = early ?? findRefusal(STEPS_FROM_SIGNATURE, judging)
  if (refusal !== undefined) return refusedFor(refusal, judging, goesOnAfterRefusal)

  const verdict = accept(jws, judging)
  // A verdict that rests on this connection's certificate says nothing about the next connection.
  if (jws.untrustedClaims.cnf === undefined) cache?.remember(jws, verdict, signer)
  return verdict
}

function findRefusal(steps: readonly Step[], judging: Judging): RefusalReason | undefined {
  for (const step of steps) {
    const refusal = step.find(judging)?.refusal
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function refusedFor(reason: RefusalReason, judging: Judging, goesOnAfterRefusal: boolean): RefusedVerdict {
  return new RefusedVerdict(reason, () => writeChecks(judging, goesOnAfterRefusal))
}

/** Most verdicts are only acted on: what the checks found is put into words for whoever asks. */
function writeChecks(judging: Judging, goesOnAfterRefusal: boolean): Check[] {
  const record = new CheckRecord(goesOnAfterRefusal)
  for (const { name, find } of STEPS) {
    const outcome = find(judging)
    if (outcome && !record.add(name, outcome)) break
  }
  return record.checks
}

function judgeSignature(key: SignerKey, isGood: boolean): CheckOutcome {
  const expected = () => `made by the key with thumbprint ${key.thumbprint}`
  return isGood
    ? { expected, received: expected }
    : { expected, received: 'not made by it', refusal: 'signature-invalid' }
}

function accept(jws: UntrustedJws, judging: Judging): AcceptedVerdict {
  const { signer, key } = judging
  const identityClaim = selectClaim(signer.claimsProperty, jws.untrustedClaims)
  // Cannot happen while the tables above are whole; an acceptance without key or signature must not leave this file.
  if (!key || judging.signatureIsGood !== true || typeof identityClaim !== 'string')
    throw new TypeError('a check is missing')
  const token = {
    signerId: signer.id,
    claims: jws.untrustedClaims,
    identityClaim,
    kid: key.kid,
    alg: String(jws.untrustedHeader.alg),
    keyThumbprint: key.thumbprint,
    expiresAtMs: periodOf(jws.untrustedClaims, signer).untilMs,
  }
  return new Acceptance(token, judging)
}

/** A class, since a getter in an object literal would cost every verdict a hidden class of its own, which outlives it. */
class Acceptance implements AcceptedVerdict {
  readonly accepted = true
  readonly reason = 'accepted'
  readonly token: VerifiedToken
  readonly #judging: Judging

  constructor(token: VerifiedToken, judging: Judging) {
    this.token = token
    this.#judging = judging
  }

  get checks(): readonly Check[] {
    return writeChecks(this.#judging, false)
  }
}
