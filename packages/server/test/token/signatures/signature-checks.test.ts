import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { buildVerifySigner, readKeySet, verifyToken } from '@countersign/core'
import {
  MINT_ALGORITHMS,
  type MintAlgorithm,
  type MintKey,
  mintKey,
  mintKeyFrom,
  mintKeySet,
  mintToken,
} from '@countersign/testkit'
import { pino } from 'pino'
import { KeyNumbers } from '../../../src/token/signatures/key-numbers.ts'
import { SIGNATURE_THREAD, SignatureChecks } from '../../../src/token/signatures/signature-checks.ts'

const ISSUER = 'https://idp.example'
const NOW_SECONDS = 1_800_000_000
const SIGNER = buildVerifySigner({
  id: 'one',
  issuer: ISSUER,
  audience: 'overlay',
  claimsProperty: 'sub',
  requiredClaims: {},
  revision: 1,
})
const LONG_RSA = mintKeyFrom(generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey, 'RSA', 'RSA-long')
const SIGNING_KEYS = [
  ...(Object.keys(MINT_ALGORITHMS) as (keyof typeof MINT_ALGORITHMS)[]).map((kind) => mintKey(kind)),
  LONG_RSA,
]
const KEYS = readKeySet(Buffer.from(JSON.stringify(mintKeySet(...SIGNING_KEYS)))).keys

function mint(key: MintKey, alg: MintAlgorithm, number: number, signWith = key): string {
  const claims = { iss: ISSUER, aud: 'overlay', sub: `user-${number}`, exp: NOW_SECONDS + 60 }
  return mintToken({ key: signWith, alg, header: { kid: key.kid }, claims })
}

/** Signature checks, their thread once it is started, and their log. */
function setUp(t: TestContext, maxWaitingSlow?: number) {
  const logged: string[] = []
  const threads: Worker[] = []
  // The process has threads of other test files too.
  const note = (thread: Worker) => {
    if (thread.threadName === SIGNATURE_THREAD) threads.push(thread)
  }
  process.on('worker', note)
  const log = pino({}, { write: (line: string) => void logged.push(line) })
  const checks = new SignatureChecks(log, maxWaitingSlow)
  t.after(async () => {
    process.off('worker', note)
    await checks.close()
  })
  const isGood = async (token: string): Promise<boolean> => {
    const { reason } = await verifyToken(token, SIGNER, KEYS, NOW_SECONDS * 1000, { checkSignature: checks.check })
    assert.ok(['accepted', 'signature-invalid'].includes(reason), reason)
    return reason === 'accepted'
  }
  return { checks, isGood, threads, logged }
}

/** Good tokens for every algorithm, each with a twin under the same kid signed by another key of the same kind, shuffled. */
function mixedTokens(): (readonly [token: string, isGood: boolean])[] {
  const cases = SIGNING_KEYS.flatMap((key) => MINT_ALGORITHMS[key.kind].map((alg) => ({ key, alg })))
  return Array.from({ length: 8 * cases.length }, (_, number) => {
    const { key, alg } = cases[(number * 7) % cases.length] ?? assert.fail()
    const isGood = number % 3 !== 0
    return [mint(key, alg, number, isGood ? key : mintKey(key.kind, 'other')), isGood] as const
  })
}

describe('signature checks on a worker thread', () => {
  it('return the right verdict for each of many concurrent tokens, whatever the algorithm and the key', async (t) => {
    const { isGood, threads } = setUp(t)
    const tokens = mixedTokens()
    const verdicts = await Promise.all(tokens.map(([token]) => isGood(token)))
    assert.deepEqual(
      verdicts,
      tokens.map(([, expected]) => expected),
    )
    assert.ok(verdicts.includes(true) && verdicts.includes(false))
    assert.equal(threads.length, 1)
  })

  it('start no thread for few and quick ones, but for a single slow one', async (t) => {
    const { isGood, threads } = setUp(t)
    const rsa = mintKey('RSA')
    const few = [mint(rsa, 'RS256', 1), mint(rsa, 'RS256', 2, mintKey('RSA', 'other'))]
    assert.deepEqual(await Promise.all(few.map(isGood)), [true, false])
    assert.equal(threads.length, 0)
    assert.equal(await isGood(mint(mintKey('P-256'), 'ES256', 3)), true)
    assert.equal(threads.length, 1)
  })

  it('return right verdicts when the thread dies, then and later', async (t) => {
    const { isGood, threads, logged } = setUp(t)
    const key = mintKey('P-256')
    const checkForty = (from: number) =>
      Array.from({ length: 40 }, (_, index) => {
        const isGenuine = index % 2 === 0
        return isGood(mint(key, 'ES256', from + index, isGenuine ? key : mintKey('P-256', 'other'))).then(
          (verdict) => verdict === isGenuine,
        )
      })
    assert.equal(await isGood(mint(key, 'ES256', 0)), true)
    const [thread] = threads
    assert.ok(thread)
    const underWay = checkForty(100)
    await new Promise((resolve) => setImmediate(resolve))
    const ended = once(thread, 'exit')
    await thread.terminate()
    await ended
    assert.ok((await Promise.all(underWay)).every(Boolean))
    assert.ok((await Promise.all(checkForty(200))).every(Boolean))
    assert.equal(threads.length, 1)
    assert.match(logged.join(), /signature thread/)
  })

  it('R-20 never keep the event loop for more than a few signatures, however many arrive at once', async (t) => {
    const { isGood } = setUp(t)
    const key = mintKey('P-256')
    const tokens = Array.from({ length: 400 }, (_, number) => mint(key, 'ES256', number))
    const settledInTurn: number[] = []
    let settled = 0
    const count = () => {
      settledInTurn.push(settled)
      settled = 0
      if (!isDone) setImmediate(count)
    }
    let isDone = false
    setImmediate(count)
    const verdicts = await Promise.all(tokens.map((token) => isGood(token).finally(() => settled++)))
    isDone = true
    assert.ok(verdicts.every(Boolean))
    assert.ok(Math.max(...settledInTurn) <= 100, settledInTurn.join())
  })

  it('R-20 of quick keys do not wait for those of slow keys, and slow keys take turns', async (t) => {
    const { isGood } = setUp(t)
    const slow = mintKey('P-521')
    const other = mintKey('P-384')
    let settled = 0
    const flood = Array.from({ length: 100 }, (_, number) =>
      isGood(mint(slow, 'ES512', number)).finally(() => settled++),
    )
    const settledBefore = async (token: string) => {
      const before = settled
      assert.equal(await isGood(token), true)
      return settled - before
    }
    const [quick, ownTurn] = await Promise.all([
      settledBefore(mint(mintKey('P-256'), 'ES256', 1)),
      settledBefore(mint(other, 'ES384', 2)),
    ])
    assert.ok(quick <= 10 && ownTurn <= 10, `${quick} ${ownTurn}`)
    assert.ok((await Promise.all(flood)).every(Boolean))
  })

  it('R-20 of a slow key are refused when too many wait for it, and those of others are not', async (t) => {
    const { isGood } = setUp(t, 3)
    const key = mintKey('P-521')
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, number) => isGood(mint(key, 'ES512', number))),
    )
    const codes = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code))
    assert.deepEqual(codes, [...Array(5).fill(true), ...Array(3).fill('SERVER_TOO_MANY_REQUESTS')])
    assert.equal(await isGood(mint(key, 'ES512', 9)), true)
    const quick = mintKey('P-256')
    const quickOnes = Array.from({ length: 8 }, (_, number) => isGood(mint(quick, 'ES256', number)))
    assert.ok((await Promise.all(quickOnes)).every(Boolean))
  })

  it('end their thread when closed', async (t) => {
    const { checks, isGood, threads } = setUp(t)
    assert.equal(await isGood(mint(mintKey('Ed25519'), 'EdDSA', 1)), true)
    const [thread] = threads
    assert.ok(thread)
    const ended = once(thread, 'exit')
    await checks.close()
    await ended
    assert.equal(await isGood(mint(mintKey('Ed25519'), 'EdDSA', 2)), true)
    assert.equal(threads.length, 1)
  })
})

describe('the numbers of keys', () => {
  const RS256 = { keyKind: 'RSA', hash: 'sha256' } as const
  const RS512 = { keyKind: 'RSA', hash: 'sha512' } as const

  it('are sent once for each key and algorithm', () => {
    const sent: unknown[] = []
    const numbers = new KeyNumbers((message) => sent.push(message))
    const { publicKey: key } = mintKey('RSA')
    const first = numbers.of({ key, algorithm: RS256 })
    assert.equal(numbers.of({ key, algorithm: RS256 }), first)
    assert.notEqual(numbers.of({ key, algorithm: RS512 }), first)
    assert.notEqual(numbers.of({ key: mintKey('RSA', 'other').publicKey, algorithm: RS256 }), first)
    assert.equal(sent.length, 3)
  })

  it('are never reused, so that a forgotten key is not mistaken for another', () => {
    const sent: unknown[] = []
    const numbers = new KeyNumbers((message) => sent.push(message), 2)
    const numberOf = (name: string) => numbers.of({ key: mintKey('Ed25519', name).publicKey, algorithm: RS256 })
    const before = [numberOf('a'), numberOf('b'), numberOf('c')]
    assert.deepEqual(before, [numberOf('a'), numberOf('b'), numberOf('c')])
    numbers.makeRoom()
    assert.equal(sent.at(-1), 'forget keys')
    const after = [numberOf('c'), numberOf('d')]
    assert.equal(new Set([...before, ...after]).size, 5)
    assert.equal(sent.length, 6)
  })
})
