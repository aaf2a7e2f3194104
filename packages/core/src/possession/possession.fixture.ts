/** Shared by the tests of possession: a key of a client, a request, and what it proves. */
import { mintKey, mintProof, type ProofParts, thumbprintOfKey } from '@countersign/testkit'
import { secretDigest } from '../secret.ts'
import { NOW, NOW_MS } from '../token/verify.fixture.ts'
import type { PossessionProofs } from './possession-checks.ts'
import { type ProofRequest, refuseProof, verifyProof } from './verify-proof.ts'

export const CLIENT_KEY = mintKey('P-256', 'client')
export const OTHER_KEY = mintKey('P-256', 'thief')
export const JKT = thumbprintOfKey(CLIENT_KEY)
export const NONCE = 'nonce-1'
export const URL_OF_REQUEST = 'https://controller.example/edge/client/v1/authenticate'

export const requestFor = (token: string | undefined, request: Partial<ProofRequest> = {}): ProofRequest => ({
  method: 'POST',
  url: URL_OF_REQUEST,
  tokenSha256: token === undefined ? undefined : secretDigest(token),
  nowMs: NOW_MS,
  isNonceGood: (nonce) => nonce === NONCE,
  ...request,
})

/** A proof that is valid for `requestFor(token)`, unless changed. */
export const proofFor = (token: string | undefined, parts: Partial<ProofParts> = {}): string =>
  mintProof({ key: CLIENT_KEY, method: 'POST', url: URL_OF_REQUEST, token, nonce: NONCE, now: NOW, ...parts })

/** What a request proves with this proof, and this certificate. */
export function proofsWith({
  proof,
  certificate,
  isDpop = proof !== undefined,
}: {
  readonly proof?: string
  readonly certificate?: string
  readonly isDpop?: boolean
}): PossessionProofs {
  return {
    certificateSha256: () => certificate,
    isDpop: () => isDpop,
    proofFor: async (tokenSha256) =>
      proof === undefined
        ? refuseProof('proof-missing', null)
        : verifyProof(proof, { ...requestFor(undefined), tokenSha256 }),
  }
}
