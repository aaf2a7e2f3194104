import { selectClaim } from '../claim/selector.ts'
import { type JsonObject, newJsonObject } from '../json/json-value.ts'
import type { SignerKey, SignerKeys } from '../key/signer-key.ts'
import { CredentialUse } from '../possession/credential-use.ts'
import {
  checkCertificate,
  checkPossession,
  checkProofKey,
  checkProofUse,
  needsProof,
  type PossessionProofs,
  type PossessionSubject,
  proofResult,
} from '../possession/possession-checks.ts'
import { type ProofCheckName, type ProofVerdict, refuseProof } from '../possession/verify-proof.ts'
import { evaluateRule } from '../rule/compile-rule.ts'
import { type RuleAttributes, type RuleRequest, ruleAttributes, signerVariables } from '../rule/judge-rule.ts'
import { newRuleBudget, type RuleBudget, type RuleResult, type RuleVariables } from '../rule/rule-run.ts'
import { secretDigest } from '../secret.ts'
import { CheckRecord, type CheckResult, describeCheck, formatCheck, refuseUnreadable } from './check-result.ts'
import { checkAudience, checkIdentityClaim, checkIssuer, checkRequiredClaims } from './claim-checks.ts'
import type { UntrustedJws } from './jws.ts'
import { checkKey, checkKid, findKey } from './key-checks.ts'
import { checkHeader, readJws } from './read-jws.ts'
import { checkAcceptRule, checkAttributeRules, NO_ATTRIBUTES } from './rule-checks.ts'
import { checkExpiry, checkIssuedAt, checkNotBefore, validityPeriod } from './time-checks.ts'
import { findPurposeFault, type TokenPurpose } from './token-purpose.ts'
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

type RulesInTurn = <Result>(evaluate: () => Result) => Promise<Result>

export interface VerifyOptions {
  readonly cache?: VerifiedTokenCache
  /** For "explain": runs every check that can be made, although the first refusal decides. */
  readonly continueAfterRefusal?: boolean
  /** Verifies signatures; on Node's thread pool by default. */
  readonly checkSignature?: CheckSignature
  /** For rules that read it. */
  readonly request?: RuleRequest | undefined
  /** Set when the rules of several signers share one. */
  readonly ruleBudget?: RuleBudget | undefined
  /** Evaluates rules when it is their turn: they may take milliseconds. */
  readonly inTurn?: RulesInTurn | undefined
  /** What the request proves, for tokens that are bound to a key. Without it, they are refused. */
  readonly proofs?: PossessionProofs | undefined
  /** For "explain": whether a token that is accepted once was used before. */
  readonly wasUsed?: ((use: CredentialUse) => Promise<boolean>) | undefined
}

const NO_PROOFS: PossessionProofs = {
  certificateSha256: () => undefined,
  isDpop: () => false,
  proofFor: async () => refuseProof('proof-missing', null),
}

/** The inputs for checking one token against one signer at one time. */
class Verification implements PossessionSubject {
  readonly header: JsonObject
  readonly claims: JsonObject
  readonly signer: VerifySigner
  readonly keys: SignerKeys
  readonly key: SignerKey | undefined
  readonly nowMs: number
  readonly proofs: PossessionProofs
  readonly isDpop: boolean
  readonly purpose: TokenPurpose
  readonly request: RuleRequest | undefined
  /** Undefined until it is verified, which only tokens with a key in `cnf` need. */
  proof: ProofVerdict | undefined
  /** Set when it is known that the token was used before. */
  wasUsed: boolean | undefined
  /** Undefined until the signature is verified, which needs a key. */
  signatureIsValid: boolean | undefined

  constructor(
    {
      untrustedHeader: header,
      untrustedClaims: claims,
      purpose,
    }: Pick<UntrustedJws, 'untrustedHeader' | 'untrustedClaims' | 'purpose'>,
    signer: VerifySigner,
    keys: SignerKeys,
    nowMs: number,
    { proofs = NO_PROOFS, request, ruleBudget }: Pick<VerifyOptions, 'proofs' | 'request' | 'ruleBudget'>,
    isDpop: boolean,
  ) {
    this.header = header
    this.claims = claims
    this.signer = signer
    this.keys = keys
    this.key = findKey(header, keys)
    this.nowMs = nowMs
    this.proofs = proofs
    this.isDpop = isDpop
    this.purpose = purpose
    this.request = request
    this.#ruleBudget = ruleBudget
  }

  /** The variables of rules. Undefined until the signature is verified: rules never see unverified claims. */
  get verifiedVariables(): RuleVariables | undefined {
    const { header, claims, signer, request, nowMs, purpose, signatureIsValid } = this
    if (purpose !== 'login' || signatureIsValid !== true) return undefined
    this.#variables ??= signerVariables({ header, claims, signer, request, nowMs })
    return this.#variables
  }
  #variables: RuleVariables | undefined

  /** What the accept rule gives, evaluated once: a second evaluation would spend the budget again. */
  get acceptance(): RuleResult | undefined {
    const { acceptRule } = this.signer
    const variables = acceptRule && this.#acceptance === undefined ? this.verifiedVariables : undefined
    if (acceptRule && variables) this.#acceptance = evaluateRule(acceptRule, variables, { budget: this.#budget })
    return this.#acceptance
  }
  #acceptance: RuleResult | undefined

  /** What the attribute rules give, evaluated once. */
  get attributes(): RuleAttributes | undefined {
    const { attributeRules } = this.signer
    if (attributeRules.length === 0) return NO_ATTRIBUTES
    const variables = this.#attributes ? undefined : this.verifiedVariables
    if (variables) this.#attributes = ruleAttributes(attributeRules, variables, this.#budget)
    return this.#attributes
  }
  #attributes: RuleAttributes | undefined

  get #budget(): RuleBudget {
    this.#ruleBudget ??= newRuleBudget()
    return this.#ruleBudget
  }
  #ruleBudget: RuleBudget | undefined

  get required() {
    return this.signer.requirePossession
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
    run: ({ claims, signer, purpose }) => (purpose === 'login' ? checkRequiredClaims(claims, signer) : undefined),
  },
  { name: 'possession', run: ofLogins(checkPossession) },
  { name: 'certificate', run: ofLogins(checkCertificate) },
  ofProof('proof'),
  { name: 'proofKey', run: ofLogins(checkProofKey) },
  ofProof('proofMethod'),
  ofProof('proofUrl'),
  ofProof('proofToken'),
  ofProof('proofTime'),
  ofProof('proofNonce'),
  ofProof('proofSignature'),
  { name: 'proofUse', run: ofLogins(checkProofUse) },
  {
    name: 'identityClaim',
    run: ({ claims, signer, purpose }) => (purpose === 'login' ? checkIdentityClaim(claims, signer) : undefined),
  },
  {
    name: 'acceptRule',
    run: (verification) => {
      const { acceptRule } = verification.signer
      const variables = acceptRule && verification.verifiedVariables
      const { acceptance } = verification
      return variables && acceptance !== undefined ? checkAcceptRule(acceptRule, acceptance, variables) : undefined
    },
  },
  {
    name: 'attributeRules',
    run: (verification) => {
      const { signer, attributes } = verification
      if (!attributes || attributes === NO_ATTRIBUTES) return undefined
      const variables = verification.verifiedVariables
      return variables && checkAttributeRules(signer.attributeRules, attributes, variables)
    },
  },
  { name: 'oneUse', run: ({ wasUsed }) => checkOneUse(wasUsed) },
]

function ofLogins(check: (subject: PossessionSubject) => CheckResult | undefined): Step['run'] {
  return (verification) => {
    const { purpose, signer } = verification
    return purpose === 'login' && !signer.leavesPossession ? check(verification) : undefined
  }
}

function ofProof(name: ProofCheckName): Step {
  return { name, run: ofLogins((subject) => proofResult(subject, name)) }
}

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
  const { cache: loginCache, continueAfterRefusal = false, checkSignature, proofs = NO_PROOFS, wasUsed } = options
  const reading = typeof token === 'string' ? readJws(token, loginCache) : { ok: true as const, jws: token }
  if (!reading.ok) return refuseUnreadable(reading)
  const { jws } = reading
  const isLogin = jws.purpose === 'login'
  const isDpop = isLogin && options.proofs !== undefined && proofs.isDpop(jws.digest)
  // Other tokens are used once, and one that is sent with a proof is accepted only with it.
  const cache = isLogin && !isDpop ? loginCache : undefined
  const known = cache?.findVerdict(jws.digest, signer, keys, nowMs)
  if (known) return known

  const verification = new Verification(jws, signer, keys, nowMs, options, isDpop)
  const { key } = verification
  const early = findRefusal(STEPS_BEFORE_SIGNATURE, verification)
  if (early !== undefined && !continueAfterRefusal) return refuse(early, verification, false)
  if (key) verification.signatureIsValid = await verifySignature(jws, key, checkSignature)
  // Not before: the proof costs as much as the token, and anyone can send one.
  if (verification.signatureIsValid === true && isLogin && needsProof(jws.untrustedClaims) && !signer.leavesPossession)
    verification.proof = await proofs.proofFor(jws.digest)
  if (wasUsed && verification.signatureIsValid === true && signer.oneUse)
    verification.wasUsed = await wasUsed(tokenUseOf(jws, signer))
  const find = () => findRefusal(STEPS_FROM_SIGNATURE, verification)
  const { inTurn } = options
  const waits = inTurn && isLogin && verification.signatureIsValid === true && hasRules(signer)
  const refusal = early ?? (waits ? await inTurn(find) : find())
  if (refusal !== undefined) return refuse(refusal, verification, continueAfterRefusal)

  const verdict = accept(jws, verification)
  // The verdict on a bound token depends on what this request proves, and that of some rules on the request: they are not cached.
  const isBound = jws.untrustedClaims.cnf !== undefined && !signer.leavesPossession
  if (!isBound && !signer.readsRequest) cache?.remember(jws, verdict, signer)
  return verdict
}

/** What a signer says to claims. A refusal describes the check that decided, which evaluates a rule again. */
export type ClaimsVerdict =
  | { readonly accepted: true; readonly identityClaim: string; readonly ruleAttributes: readonly string[] }
  | { readonly accepted: false; readonly reason: RefusalReason; readonly check: CheckName; describe(): Check }

const NO_KEYS: SignerKeys = new Map()
/** What keys and requests prove, beside the claims. */
const PROVEN_CHECKS: readonly CheckName[] = ['kid', 'key', 'signature', 'certificate', 'oneUse']
const CLAIM_STEPS = STEPS.filter(({ name }) => !PROVEN_CHECKS.includes(name))

/**
 * Runs the checks of `verifyToken` that need no key and no proof over claims that may be anybody's. For predictions and test cases: it verifies nothing, so
 * no login may rest on it.
 */
export function evaluateClaims(
  untrustedClaims: JsonObject,
  untrustedHeader: JsonObject,
  signer: VerifySigner,
  nowMs: number,
  ruleBudget?: RuleBudget,
): ClaimsVerdict {
  const header = Object.assign(newJsonObject(), { alg: '' }, untrustedHeader)
  const fault = checkHeader(header) ?? findPurposeFault('login', header, untrustedClaims)
  if (fault) {
    const failed = formatCheck(fault.detail)
    return { accepted: false, reason: fault.reason, check: failed.check, describe: () => failed }
  }
  const jws = { untrustedHeader: header, untrustedClaims, purpose: 'login' } as const
  const verification = new Verification(jws, signer, NO_KEYS, nowMs, { ruleBudget }, false)
  // The claims stand for those of a token that would be verified.
  verification.signatureIsValid = true
  for (const { name, run } of CLAIM_STEPS) {
    const result = run(verification)
    if (result?.refusal !== undefined) {
      return { accepted: false, reason: result.refusal, check: name, describe: () => describeCheck(name, result) }
    }
  }
  const identityClaim = String(selectClaim(signer.claimsProperty, untrustedClaims))
  const { attributes = NO_ATTRIBUTES } = verification
  return { accepted: true, identityClaim, ruleAttributes: attributes.ok ? attributes.attributes : [] }
}

function findRefusal(steps: readonly Step[], verification: Verification): RefusalReason | undefined {
  for (const step of steps) {
    const refusal = step.run(verification)?.refusal
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function refuse(reason: RefusalReason, verification: Verification, continueAfterRefusal: boolean): RefusedVerdict {
  const verifiedClaims = verification.signatureIsValid === true ? verification.claims : undefined
  return new RefusedVerdict(reason, () => describeChecks(verification, continueAfterRefusal), verifiedClaims)
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

function hasRules({ acceptRule, attributeRules }: VerifySigner): boolean {
  return acceptRule !== undefined || attributeRules.length > 0
}

function checkSignatureResult(key: SignerKey, isValid: boolean): CheckResult {
  const expected = () => `signed by the key with thumbprint ${key.thumbprint}`
  return isValid
    ? { expected, received: expected }
    : { expected, received: 'not signed by this key', refusal: 'signature-invalid' }
}

function accept(jws: UntrustedJws, verification: Verification): AcceptedVerdict {
  const { signer, key, purpose, attributes = NO_ATTRIBUTES } = verification
  // A logout or an event selects identities by other rules: it has no claim that logs one in.
  const identityClaim = purpose === 'login' ? selectClaim(signer.claimsProperty, jws.untrustedClaims) : ''
  // Unreachable while the tables above are complete: never accept a token without a key and a valid signature.
  if (!key || verification.signatureIsValid !== true || typeof identityClaim !== 'string' || !attributes.ok)
    throw new TypeError('a check is missing')
  const token = {
    signerId: signer.id,
    claims: jws.untrustedClaims,
    identityClaim,
    kid: key.kid,
    alg: String(jws.untrustedHeader.alg),
    keyThumbprint: key.thumbprint,
    expiresAtMs: validityPeriod(jws.untrustedClaims, signer).untilMs,
    ruleAttributes: attributes.attributes,
    ...(verification.proof?.thumbprint !== undefined && {
      boundKey: verification.proof.thumbprint,
      proofUse: verification.proof.use as CredentialUse,
    }),
    ...(signer.oneUse && purpose === 'login' && { tokenUse: tokenUseOf(jws, signer) }),
  }
  return new LazyAcceptedVerdict(token, verification)
}

/** The greatest clock skew, and some more for clocks that differ. */
const AFTER_EXPIRY_MS = 120_000

/**
 * A token is the same one when signer, subject and `jti` are; without a `jti` when what is signed is, since an ECDSA signature has a twin. Its use is
 * remembered until it has expired whatever the signer's clock skew and maximum age are then.
 */
function tokenUseOf({ untrustedClaims: claims, signingInput }: UntrustedJws, signer: VerifySigner): CredentialUse {
  const { jti, exp } = claims
  const id = typeof jti === 'string' && jti !== '' ? ['jti', secretDigest(jti)] : ['token', secretDigest(signingInput)]
  const named = selectClaim(signer.claimsProperty, claims)
  // "explain" asks for tokens that are refused too, whose claims can be anything.
  const subject = secretDigest(typeof named === 'string' ? named : '')
  const expiresAt = typeof exp === 'number' ? Math.ceil(exp * 1000) : 0
  return new CredentialUse(['token', signer.id, subject, ...id], expiresAt + AFTER_EXPIRY_MS)
}

function checkOneUse(wasUsed: boolean | undefined): CheckResult | undefined {
  if (wasUsed === undefined) return undefined
  const expected = 'a token that was not used before: the signer accepts each once'
  return wasUsed ? { expected, received: 'used before', refusal: 'token-used' } : { expected, received: 'as expected' }
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
