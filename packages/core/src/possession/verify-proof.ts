import type { CheckResult } from '../token/check-result.ts'
import { type CheckName, displayValue, type RefusalReason } from '../token/verdict.ts'
import { type CheckSignature, verifySignature } from '../token/verify-signature.ts'
import { CredentialUse } from './credential-use.ts'
import { type ProofReading, readProof, type UntrustedProof } from './read-proof.ts'
import { comparableUrl } from './request-url.ts'

/** How old a proof may be, and how far the client's clock may be ahead. */
export const PROOF_WINDOW_SECONDS = 60
/** A use is remembered for longer than its proof is accepted, in case a clock is set back. */
const REMEMBERED_MS = 3 * PROOF_WINDOW_SECONDS * 1000

/** The request that a proof must be for. */
export interface ProofRequest {
  readonly method: string
  /** The URL that the client has used, in the form of `comparableUrl`; undefined when its host is no address of this controller. */
  readonly url: string | undefined
  /** SHA-256 of the token that the proof comes with, base64url; undefined at a token endpoint, where none comes with it. */
  readonly tokenSha256: string | undefined
  readonly nowMs: number
  /** Whether a nonce was issued by this installation, not long ago. Undefined for a proof without one. */
  readonly isNonceGood: (nonce: string | undefined) => boolean
  readonly checkSignature?: CheckSignature | undefined
}

/** The checks of a proof, which do not depend on what its token is bound to. */
export type ProofCheckName = Extract<CheckName, `proof${string}`>

/** Every reason for refusing a proof. */
export type ProofRefusal = Extract<RefusalReason, `proof-${string}`>

/** The checks of one proof that could be made; the first one with a refusal decides. */
export interface ProofVerdict {
  readonly results: Readonly<Partial<Record<ProofCheckName, CheckResult>>>
  /** The thumbprint of the key that has signed it; undefined unless every check passed. */
  readonly thumbprint: string | undefined
  /** The thumbprint of the key in its header, verified or not. */
  readonly untrustedThumbprint: string | undefined
  /** Undefined unless every check passed. */
  readonly use: CredentialUse | undefined
}

const WELL_FORMED = 'a DPoP proof: a JWT of the type dpop+jwt with a public key, jti, htm, htu and iat'

/** The verdict on a request that has no proof, or none that can be read. */
export function refuseProof(refusal: 'proof-missing' | 'proof-malformed', received: string | null): ProofVerdict {
  const results = { proof: { expected: WELL_FORMED, received, refusal } }
  return { results, thumbprint: undefined, untrustedThumbprint: undefined, use: undefined }
}

/**
 * Verifies a DPoP proof (RFC 9449 section 4.3), except that its key is the one that the token is bound to. Makes all cheap checks, and verifies the signature
 * when they pass. Rejects only when `checkSignature` does.
 */
export async function verifyProof(proof: string | ProofReading, request: ProofRequest): Promise<ProofVerdict> {
  const reading = typeof proof === 'string' ? readProof(proof) : proof
  if (!reading.ok) return refuseProof('proof-malformed', reading.detail)
  const read = reading.proof
  const { key, jws } = read
  const results: Partial<Record<ProofCheckName, CheckResult>> = {
    proof: { expected: WELL_FORMED, received: 'as expected' },
    proofMethod: checkMethod(read, request),
    proofUrl: checkUrl(read, request),
    ...(request.tokenSha256 !== undefined && { proofToken: checkToken(read, request.tokenSha256) }),
    proofTime: checkTime(read, request),
    proofNonce: checkNonce(read, request),
  }
  const refused = { results, thumbprint: undefined, untrustedThumbprint: key.thumbprint, use: undefined }
  if (Object.values(results).some(({ refusal }) => refusal !== undefined)) return refused
  const isValid = await verifySignature(jws, key, request.checkSignature)
  const expected = 'signed by the key in its header'
  results.proofSignature = isValid
    ? { expected, received: expected }
    : { expected, received: 'not signed by this key', refusal: 'proof-signature-invalid' }
  if (!isValid) return refused
  const { thumbprint } = key
  const use = new CredentialUse(
    ['proof', thumbprint, request.tokenSha256 ?? '', read.jti],
    Math.ceil(read.iat * 1000) + REMEMBERED_MS,
  )
  return { results, thumbprint, untrustedThumbprint: thumbprint, use }
}

/** Why a proof does not prove possession of the key with this thumbprint; undefined when it does. */
export function findProofRefusal({ results, thumbprint }: ProofVerdict, boundKey: string): ProofRefusal | undefined {
  const refused = Object.values(results).find(({ refusal }) => refusal !== undefined)
  if (refused) return refused.refusal as ProofRefusal
  return thumbprint === boundKey ? undefined : 'proof-key-mismatch'
}

function checkMethod({ htm }: UntrustedProof, { method }: ProofRequest): CheckResult {
  return {
    expected: method,
    received: () => displayValue(htm),
    refusal: htm === method ? undefined : 'proof-method-mismatch',
  }
}

function checkUrl({ htu }: UntrustedProof, { url }: ProofRequest): CheckResult {
  return {
    expected: url ?? 'an address of this controller: see the setting advertise',
    received: () => displayValue(htu),
    refusal: url !== undefined && comparableUrl(htu) === url ? undefined : 'proof-url-mismatch',
  }
}

function checkToken({ ath }: UntrustedProof, tokenSha256: string): CheckResult {
  return {
    expected: `SHA-256 of the token that it comes with: ${tokenSha256}`,
    received: () => displayValue(ath),
    refusal: ath === tokenSha256 ? undefined : 'proof-token-mismatch',
  }
}

function checkTime({ iat }: UntrustedProof, { nowMs }: ProofRequest): CheckResult {
  const isNear = Math.abs(nowMs - iat * 1000) <= PROOF_WINDOW_SECONDS * 1000
  return {
    expected: () => `at most ${PROOF_WINDOW_SECONDS} s before or after ${new Date(nowMs).toISOString()}`,
    received: () => displayValue(iat),
    refusal: isNear ? undefined : 'proof-time-mismatch',
  }
}

function checkNonce({ nonce }: UntrustedProof, { isNonceGood }: ProofRequest): CheckResult {
  return {
    expected: 'a nonce that this controller has sent in the header DPoP-Nonce in the last minutes',
    received: nonce === undefined ? null : () => displayValue(nonce),
    refusal: isNonceGood(nonce) ? undefined : 'proof-nonce-missing',
  }
}
