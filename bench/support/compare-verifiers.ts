import { verify as verifySignature } from 'node:crypto'
import { createLocalJWKSet, type JWK, jwtVerify } from 'jose'
import type { JsonValue } from '../../packages/core/src/json/json-value.ts'
import { readKeySet } from '../../packages/core/src/key/key-set.ts'
import type { SignerKeys } from '../../packages/core/src/key/signer-key.ts'
import { SignerIndex } from '../../packages/core/src/signer/signer-index.ts'
import { untrustedIssuerAndAudience } from '../../packages/core/src/token/jws.ts'
import { readJws } from '../../packages/core/src/token/read-jws.ts'
import { VerifiedTokenCache } from '../../packages/core/src/token/verified-token-cache.ts'
import { buildVerifySigner, type VerifySigner } from '../../packages/core/src/token/verify-signer.ts'
import { verifyToken } from '../../packages/core/src/token/verify-token.ts'
import {
  type MintAlgorithm,
  type MintKey,
  mintKey,
  mintKeySet,
  mintToken,
} from '../../packages/testkit/src/token-mint.ts'
import { median } from './percentile.ts'

const TOKENS = 1000
const IN_FLIGHT = 32
const ROUND_MS = 120
const NOW_MS = Date.parse('2026-06-01T12:00:00Z')
const AUDIENCE = 'api://countersign'

type Task = (index: number) => Promise<unknown>

interface Candidate {
  readonly name: string
  readonly task: Task
  readonly perSecond: number[]
}

/**
 * Returns the median rate per second of each task. The tasks alternate, so that a slow moment of the machine affects all of them. Every
 * second round runs in reverse order, so that the garbage collection of one task is not always charged to the next.
 */
async function compare(tasks: Readonly<Record<string, Task>>, rounds: number): Promise<ReadonlyMap<string, number>> {
  const candidates: Candidate[] = Object.entries(tasks).map(([name, task]) => ({ name, task, perSecond: [] }))
  for (let round = 0; round <= rounds; round += 1) {
    for (const { task, perSecond } of round % 2 === 0 ? candidates : candidates.toReversed()) {
      const rate = await measure(task)
      if (round > 0) perSecond.push(rate)
    }
  }
  return new Map(candidates.map(({ name, perSecond }) => [name, median(perSecond)]))
}

async function measure(task: Task): Promise<number> {
  const start = performance.now()
  const end = start + ROUND_MS
  let done = 0
  const runWorker = async (): Promise<void> => {
    while (performance.now() < end) {
      for (let count = 0; count < 16; count += 1) await task(done++ % TOKENS)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, runWorker))
  return (done / (performance.now() - start)) * 1000
}

function mintTokens(alg: MintAlgorithm, key: MintKey, issuer: string): string[] {
  const now = NOW_MS / 1000
  return Array.from({ length: TOKENS }, (_, index) => {
    const claims = {
      iss: issuer,
      aud: AUDIENCE,
      sub: `user-${index}@example.com`,
      iat: now - 60,
      nbf: now - 60,
      exp: now + 3600,
      jti: `0a1b2c3d-4e5f-6071-8293-${index}`,
      azp: 'countersign-client',
      scope: 'openid profile email',
      name: 'Some One',
      realm_access: { roles: ['offline_access', 'uma_authorization', 'staff'] },
    }
    return mintToken({ key, alg, claims })
  })
}

const signerOf = (index: number): VerifySigner<string> =>
  buildVerifySigner({ id: `signer-${index}`, revision: 1, issuer: `https://idp-${index}.example`, audience: AUDIENCE })

const assertAccepted = (accepted: boolean): void => {
  if (!accepted) throw new Error('a valid token was refused')
}

/** Compares verifications per second for one algorithm: `crypto.verify`, jose, and `verifyToken` cold and cached. */
export async function compareByAlgorithm(
  alg: MintAlgorithm,
  key: MintKey,
  options: object | undefined,
  rounds: number,
): Promise<ReadonlyMap<string, number>> {
  const signer = signerOf(0)
  const tokens = mintTokens(alg, key, signer.issuer)
  const at = (index: number): string => tokens[index] ?? ''
  const document = mintKeySet(key)
  const { keys } = readKeySet(document as JsonValue)
  const cache = new VerifiedTokenCache()
  const joseKeys = createLocalJWKSet({ keys: document.keys as JWK[] })
  const joseOptions = { issuer: signer.issuer, audience: AUDIENCE, algorithms: [alg], currentDate: new Date(NOW_MS) }
  const inputs = tokens.map((token) => {
    const dot = token.lastIndexOf('.')
    return { input: Buffer.from(token.slice(0, dot)), signature: Buffer.from(token.slice(dot + 1), 'base64url') }
  })
  const bareKey = options ? { key: key.publicKey, ...options } : key.publicKey
  const hash = alg === 'EdDSA' ? null : 'sha256'
  return compare(
    {
      'crypto.verify': (index) =>
        new Promise<void>((resolve) => {
          const { input, signature } = inputs[index] ?? { input: Buffer.alloc(0), signature: Buffer.alloc(0) }
          verifySignature(hash, input, bareKey, signature, (_, isValid) => resolve(assertAccepted(isValid)))
        }),
      jose: (index) => jwtVerify(at(index), joseKeys, joseOptions),
      cold: async (index) => assertAccepted((await verifyToken(at(index), signer, keys, NOW_MS)).accepted),
      cached: async (index) => assertAccepted((await verifyToken(at(index), signer, keys, NOW_MS, { cache })).accepted),
    },
    rounds,
  )
}

/** Compares the token part of a login (parse, select the signer, verify) for different numbers of signers. */
export async function compareBySignerCount(
  counts: readonly number[],
  rounds: number,
): Promise<ReadonlyMap<string, number>> {
  const key = mintKey('RSA')
  const { keys } = readKeySet(mintKeySet(key) as JsonValue)
  const tasks = counts.flatMap((count): [string, Task][] => {
    const index = new SignerIndex<VerifySigner<string>>()
    for (let each = 0; each < count; each += 1) index.put(signerOf(each))
    const tokens = mintTokens('RS256', key, signerOf(count - 1).issuer)
    const cache = new VerifiedTokenCache()
    const login = (token: string, tokenCache?: VerifiedTokenCache): Promise<void> =>
      logIn(token, index, keys, tokenCache)
    return [
      [`${count} signers, cold`, (each) => login(tokens[each] ?? '')],
      [`${count} signers, cached`, (each) => login(tokens[each] ?? '', cache)],
    ]
  })
  return compare(Object.fromEntries(tasks), rounds)
}

async function logIn(
  token: string,
  index: SignerIndex<VerifySigner<string>>,
  keys: SignerKeys,
  cache: VerifiedTokenCache | undefined,
): Promise<void> {
  const reading = readJws(token, cache)
  if (!reading.ok) throw new Error(reading.detail)
  const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(reading.jws)
  const [signer] = index.choose(untrustedIssuer, untrustedAudiences).candidates
  if (!signer) throw new Error('no signer')
  assertAccepted((await verifyToken(reading.jws, signer, keys, NOW_MS, cache ? { cache } : {})).accepted)
}
