/** Shared by the tests of `verifyToken`: one signer, its keys, a fixed time, and a valid token to start from. */
import assert from 'node:assert/strict'
import { type MintKey, type MintOptions, mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import type { JsonValue } from '../json/json-value.ts'
import { readKeySet } from '../key/key-set.ts'
import type { SignerKeys } from '../key/signer-key.ts'
import type { RefusalReason, Verdict } from './verdict.ts'
import { checkInPlace, checkOnPool } from './verify-signature.ts'
import { buildVerifySigner, type VerifySigner, type VerifySignerFields } from './verify-signer.ts'
import { type VerifyOptions, verifyToken } from './verify-token.ts'

export const NOW_MS = Date.parse('2026-06-01T12:00:00Z')
export const NOW = NOW_MS / 1000

export const ISSUER = 'https://idp.example/a'
export const AUDIENCE = 'api://countersign'

export const signerWith = (fields: Partial<VerifySignerFields<string>> = {}): VerifySigner<string> =>
  buildVerifySigner({ id: 'signer-a', revision: 1, issuer: ISSUER, audience: AUDIENCE, ...fields })

export const SIGNER = signerWith()

/** The keys of a signer whose provider publishes `entries` as its JWKS. */
export const keysOf = (...entries: readonly (MintKey | Record<string, unknown>)[]): SignerKeys =>
  readKeySet(mintKeySet(...entries) as JsonValue).keys

export const KEY = mintKey('P-256')
export const KEYS = keysOf(KEY)

export const claimsWith = (claims: Record<string, unknown> = {}): Record<string, unknown> => ({
  iss: ISSUER,
  aud: AUDIENCE,
  sub: 'alice',
  iat: NOW - 60,
  exp: NOW + 600,
  ...claims,
})

/** A valid token with some claims changed. */
export const tokenWith = (claims: Record<string, unknown> = {}, options: Partial<MintOptions> = {}): string =>
  mintToken({ key: KEY, claims: claimsWith(claims), ...options })

interface VerifyContext extends VerifyOptions {
  readonly signer?: VerifySigner
  readonly keys?: SignerKeys
  readonly nowMs?: number
}

/** Verifies the token on the thread pool, then on this thread. A cache in `context` has seen it twice afterwards. */
export async function assertAccepted(token: string, context: VerifyContext = {}): Promise<void> {
  for (const verdict of await verdictsOf(token, context)) {
    assert.equal(verdict.reason, 'accepted', JSON.stringify(verdict.checks.at(-1)))
  }
}

export async function assertRefused(token: string, reason: RefusalReason, context: VerifyContext = {}): Promise<void> {
  for (const verdict of await verdictsOf(token, context)) {
    assert.equal(verdict.reason, reason, `${token.slice(0, 200)}: ${JSON.stringify(verdict.checks.at(-1))}`)
    assert.equal('token' in verdict, false)
  }
}

async function verdictsOf(token: string, context: VerifyContext): Promise<Verdict[]> {
  const { signer = SIGNER, keys = KEYS, nowMs = NOW_MS, ...options } = context
  const verdicts: Verdict[] = []
  for (const checkSignature of [checkOnPool, checkInPlace]) {
    verdicts.push(await verifyToken(token, signer, keys, nowMs, { ...options, checkSignature }))
  }
  return verdicts
}
