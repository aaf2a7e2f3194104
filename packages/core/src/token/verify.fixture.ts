/** What the tests of the verify function share: one signer, its keys, a fixed time, and an honest token to start from. */
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

/** The keys of a signer whose provider publishes these. */
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

/** An honest token with these claims changed. */
export const tokenWith = (claims: Record<string, unknown> = {}, options: Partial<MintOptions> = {}): string =>
  mintToken({ key: KEY, claims: claimsWith(claims), ...options })

interface Setting extends VerifyOptions {
  readonly signer?: VerifySigner
  readonly keys?: SignerKeys
  readonly nowMs?: number
}

/** On another thread and on this one, whatever is checked there; a cache has it from then on. */
export async function assertAccepted(token: string, setting: Setting = {}): Promise<void> {
  for (const verdict of await verdictsOf(token, setting)) {
    assert.equal(verdict.reason, 'accepted', JSON.stringify(verdict.checks.at(-1)))
  }
}

export async function assertRefused(token: string, reason: RefusalReason, setting: Setting = {}): Promise<void> {
  for (const verdict of await verdictsOf(token, setting)) {
    assert.equal(verdict.reason, reason, `${token.slice(0, 200)}: ${JSON.stringify(verdict.checks.at(-1))}`)
    assert.equal('token' in verdict, false)
  }
}

async function verdictsOf(token: string, setting: Setting): Promise<Verdict[]> {
  const { signer = SIGNER, keys = KEYS, nowMs = NOW_MS, ...options } = setting
  const verdicts: Verdict[] = []
  for (const checkSignature of [checkOnPool, checkInPlace]) {
    verdicts.push(await verifyToken(token, signer, keys, nowMs, { ...options, checkSignature }))
  }
  return verdicts
}
