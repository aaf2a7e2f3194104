/** Shared by the tests of "explain": signers of real providers, and the server's steps from a token to its hints. */
import assert from 'node:assert/strict'
import { type MintKey, type MintOptions, mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import type { JsonValue } from '../json/json-value.ts'
import { readKeySet } from '../key/key-set.ts'
import type { SignerKeys } from '../key/signer-key.ts'
import { SignerIndex } from '../signer/signer-index.ts'
import { signerFromBody } from '../signer/signer-settings.ts'
import { untrustedIssuerAndAudience } from '../token/jws.ts'
import { readJws } from '../token/read-jws.ts'
import { MAX_CANDIDATES, refuseTooManySigners } from '../token/refuse-too-many-signers.ts'
import { buildVerifySigner } from '../token/verify-signer.ts'
import { type VerifyOptions, verifyToken } from '../token/verify-token.ts'
import { explainToken, findHints } from './explain-token.ts'
import type { CheckedSigner, ExplainSigner, Explanation } from './explanation.ts'
import { findSimilarSigners } from './find-similar-signers.ts'
import type { Hint, HintKind } from './hint.ts'

export const NOW_MS = Date.parse('2026-06-01T12:00:00Z')
export const NOW = NOW_MS / 1000
export const TENANT = '11111111-2222-3333-4444-555555555555'
export const OTHER_TENANT = '99999999-2222-3333-4444-555555555555'

/** RSA, as nearly every provider signs. */
export const KEY = mintKey('RSA')
export const keysOf = (...keys: readonly MintKey[]): SignerKeys => readKeySet(mintKeySet(...keys) as JsonValue).keys

type SignerBody = Parameters<typeof signerFromBody>[0]

export const signerOf = (body: Partial<SignerBody> & { readonly id?: string } = {}): ExplainSigner => {
  const { id = 'signer-a', ...fields } = body
  const defaults = {
    name: 'corp',
    enabled: true,
    issuer: 'https://idp.example/a',
    audience: 'api://countersign',
    jwksEndpoint: 'https://idp.example/jwks',
  }
  return { id, ...signerFromBody({ ...defaults, ...fields } as SignerBody) }
}

/** A token of a provider, valid for ten minutes unless its claims say otherwise. */
export const tokenOf = (claims: Record<string, unknown>, options: Partial<MintOptions> = {}): string =>
  mintToken({ key: KEY, claims: { sub: 'alice', iat: NOW - 60, exp: NOW + 600, ...claims }, ...options })

interface ExplainContext {
  readonly signers?: readonly ExplainSigner[]
  readonly keys?: SignerKeys
  readonly unusedKeys?: CheckedSigner['unusedKeys']
  /** Whether the administrator chose the signers, so that unrelated ones are compared too. */
  readonly areChosen?: boolean
  /** What the request has proven, and whether the token was used before. */
  readonly verifying?: Pick<VerifyOptions, 'proofs' | 'wasUsed'>
}

/** Verifies a token against similar signers, as the server does. */
async function checkSigners(
  token: string,
  {
    signers = [signerOf()],
    keys = keysOf(KEY),
    unusedKeys = new Map(),
    areChosen = false,
    verifying = {},
  }: ExplainContext,
): Promise<CheckedSigner[]> {
  const reading = readJws(token)
  if (!reading.ok) return []
  const similar = areChosen ? [...signers] : findSimilarSigners(reading.jws.untrustedClaims, signers)
  const enabled = new SignerIndex<ExplainSigner>()
  for (const signer of signers) if (signer.enabled) enabled.put(signer)
  const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(reading.jws)
  if (enabled.choose(untrustedIssuer, untrustedAudiences).candidates.length > MAX_CANDIDATES) {
    return similar.map((signer) => ({ signer, keys, verdict: refuseTooManySigners(reading.jws) }))
  }
  const check = async (signer: ExplainSigner): Promise<CheckedSigner> => {
    const verifySigner = buildVerifySigner({ ...signer, revision: 1, requiredClaims: signer.requiredClaims ?? {} })
    const verdict = await verifyToken(reading.jws, verifySigner, keys, NOW_MS, {
      continueAfterRefusal: true,
      ...verifying,
    })
    return { signer, keys, unusedKeys, verdict }
  }
  return Promise.all(similar.map(check))
}

export async function explain(token: string, context: ExplainContext = {}): Promise<Explanation> {
  return explainToken(token, await checkSigners(token, context), NOW_MS)
}

export async function hintsOf(token: string, context: ExplainContext = {}): Promise<Hint[]> {
  const hints = findHints(token, await checkSigners(token, context), NOW_MS)
  for (const { text } of hints) assertIsHint(text, token)
  return hints
}

/** Asserts that the token has exactly these hints. Returns their texts, joined by line feeds. */
export async function assertHints(
  token: string,
  kinds: readonly HintKind[],
  context: ExplainContext = {},
): Promise<string> {
  const hints = await hintsOf(token, context)
  assert.deepEqual(
    hints.map(({ kind }) => kind),
    kinds,
    hints.map(({ text }) => text).join('\n'),
  )
  return hints.map(({ text }) => text).join('\n')
}

/** A hint is one sentence, says after a colon what to do, and repeats nothing of the token. */
function assertIsHint(text: string, token: string): void {
  assert.match(text, /: /)
  assert.doesNotMatch(text, /[\n.]$|\n/)
  assert.ok(text.length < 3000, text)
  const parts = token.split(/[^A-Za-z0-9_-]/).filter((part) => part.length > 15)
  assert.equal(
    parts.some((part) => text.includes(part)),
    false,
    text,
  )
}
