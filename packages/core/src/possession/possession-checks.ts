import type { PossessionKind } from '@countersign/contract/ext-jwt-signer'
import type { JsonObject } from '../json/json-value.ts'
import type { CheckResult } from '../token/check-result.ts'
import { displayValue } from '../token/verdict.ts'
import { readConfirmation } from './confirmation.ts'
import type { ProofCheckName, ProofVerdict } from './verify-proof.ts'

/** What a request proves about the keys that its client holds. */
export interface PossessionProofs {
  /** SHA-256 of the client certificate of the TLS connection, base64url; undefined without one. */
  certificateSha256(): string | undefined
  /** Whether the token with this SHA-256 was sent with the scheme `DPoP`. */
  isDpop(tokenSha256: string): boolean
  /** The verdict on the proof for the token with this SHA-256. The same one whenever it is asked for. */
  proofFor(tokenSha256: string): Promise<ProofVerdict>
}

/** One token and what its request proves. */
export interface PossessionSubject {
  readonly claims: JsonObject
  readonly required: PossessionKind
  readonly isDpop: boolean
  readonly proofs: Pick<PossessionProofs, 'certificateSha256'>
  /** Undefined when it was not verified: the token is bound to no key. */
  readonly proof: ProofVerdict | undefined
}

const REQUIRED: Readonly<Record<Exclude<PossessionKind, 'none'>, string>> = {
  any: 'a token that is bound to a key by "cnf" (jkt or x5t#S256)',
  dpop: 'a token that is bound to the key of DPoP proofs by "cnf" (jkt)',
  mtls: 'a token that is bound to a client certificate by "cnf" (x5t#S256)',
}

/** Whether the token is bound as the signer and the scheme require. Undefined for a token that is not bound and need not be. */
export function checkPossession({ claims, required, isDpop }: PossessionSubject): CheckResult | undefined {
  const confirmation = readConfirmation(claims)
  if (confirmation === undefined && required === 'none' && !isDpop) return undefined
  const received = () => displayValue(claims.cnf)
  if (confirmation === 'unsupported')
    return { expected: 'a "cnf" with jkt or x5t#S256', received, refusal: 'possession-not-proven' }
  const { jkt, x5t } = confirmation ?? {}
  const isMet = { none: true, any: confirmation !== undefined, dpop: jkt !== undefined, mtls: x5t !== undefined }
  if (required !== 'none' && !isMet[required])
    return { expected: REQUIRED[required], received, refusal: 'possession-missing' }
  if (isDpop && jkt === undefined) return { expected: REQUIRED.dpop, received, refusal: 'token-not-bound' }
  return { expected: REQUIRED[required === 'none' ? 'any' : required], received }
}

/** RFC 8705: the TLS connection has the client certificate that the token names. Undefined for a token that names none. */
export function checkCertificate({ claims, proofs }: PossessionSubject): CheckResult | undefined {
  const confirmation = readConfirmation(claims)
  if (confirmation === undefined || confirmation === 'unsupported' || confirmation.x5t === undefined) return undefined
  const sent = proofs.certificateSha256()
  const expected = `a TLS client certificate whose SHA-256 is ${confirmation.x5t}`
  if (sent === undefined) return { expected, received: null, refusal: 'certificate-not-sent' }
  return { expected, received: sent, refusal: sent === confirmation.x5t ? undefined : 'certificate-not-bound' }
}

/** RFC 9449: the proof has the key that the token names. Undefined without a proof that can be read. */
export function checkProofKey({ claims, proof }: PossessionSubject): CheckResult | undefined {
  const confirmation = readConfirmation(claims)
  const jkt = confirmation === 'unsupported' ? undefined : confirmation?.jkt
  if (jkt === undefined || proof?.untrustedThumbprint === undefined) return undefined
  const received = proof.untrustedThumbprint
  const expected = `the key with the thumbprint ${jkt}, to which the token is bound`
  return { expected, received, refusal: received === jkt ? undefined : 'proof-key-mismatch' }
}

/** Whether the proof was accepted before. Undefined while that is not known. */
export function checkProofUse({ proof }: PossessionSubject): CheckResult | undefined {
  const state = proof?.use?.state ?? 'unknown'
  if (state === 'unknown') return undefined
  const expected = 'a proof with a "jti" that was not used before'
  return state === 'used-here'
    ? { expected, received: 'as expected' }
    : { expected, received: 'used before', refusal: 'proof-replayed' }
}

/** The result of a check that was made with the proof. */
export function proofResult({ proof }: PossessionSubject, name: ProofCheckName): CheckResult | undefined {
  return proof?.results[name]
}

/** Whether the verdict on a token depends on its proof: one that is bound to a key, or was sent as such. */
export function needsProof(claims: JsonObject): boolean {
  const confirmation = readConfirmation(claims)
  return confirmation !== undefined && confirmation !== 'unsupported' && confirmation.jkt !== undefined
}
