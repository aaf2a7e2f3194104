import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  buildVerifySigner,
  checkInPlace,
  MAX_RULE_COST,
  readKeySet,
  SignerIndex,
  type SignerKeys,
  VerifiedTokenCache,
  type VerifySignerFields,
} from '@countersign/core'
import { type MintKey, mintKey, mintKeyFrom, mintKeySet, mintToken } from '@countersign/testkit'
import { UNLIMITED } from '../../src/limits/attempt-limiter.ts'
import { SignerLimiter } from '../../src/limits/signer-limiter.ts'
import { NO_PROOFS } from '../../src/token/request-proofs.ts'
import { ALL_RULES } from '../../src/token/rule-turns.ts'
import type { DirectorySigner } from '../../src/token/signer-directory.ts'
import { TokenVerifier } from '../../src/token/token-verifier.ts'

const REQUEST = { method: 'POST', address: '127.0.0.1', proofs: NO_PROOFS }

const ISSUER = 'https://idp.example'
const NOW_MS = 1_800_000_000_000
const keysOf = (key: MintKey): SignerKeys => readKeySet(Buffer.from(JSON.stringify(mintKeySet(key)))).keys
const audiencesOf = (count: number) => Array.from({ length: count }, (_, index) => `api://${index}`)

/** What may change while a token is verified. */
interface VerifierState {
  readonly keys: Map<string, SignerKeys>
  now: number
}

interface VerifyingOptions {
  readonly rules?: Pick<VerifySignerFields, 'acceptRule' | 'attributeRules'>
  readonly claims?: Readonly<Record<string, unknown>>
  /** The last writer of each signer, when it is not trusted. */
  readonly writers?: readonly (string | undefined)[]
  /** Called between the check of the signature and rules that wait. */
  readonly whileWaiting?: (state: VerifierState) => void
}

/** What the rules of a signer have cost is remembered: each run has its own signers. */
let run = 0

/** Verifies a token that names `count` signers. `keyOf` is the key of each signer; all have the same kid. */
async function verify(
  count: number,
  keyOf: (index: number) => MintKey,
  { rules, claims: more, writers = [], whileWaiting = () => {} }: VerifyingOptions = {},
) {
  run += 1
  const index = new SignerIndex<DirectorySigner>()
  const keys = new Map<string, SignerKeys>()
  for (const [number, audience] of audiencesOf(count).entries()) {
    const id = `signer-${run}-${number}`
    const settings = { id, issuer: ISSUER, audience, additionalAudiences: [] }
    const verify = buildVerifySigner({ ...settings, claimsProperty: 'sub', revision: 1, ...rules })
    index.put({
      ...settings,
      stored: { id, trust: { isTrusted: writers[number] === undefined, writtenById: writers[number] } } as never,
      verify,
      signals: undefined,
    })
    // Read anew for each signer, as the key sets of several signers are.
    keys.set(id, keysOf(keyOf(number)))
  }
  const state: VerifierState = { keys, now: NOW_MS }
  let checked = 0
  const verifier = new TokenVerifier({
    directory: { enabled: () => index } as never,
    keys: {
      reading: () => undefined,
      keysOf: ({ id }: { id: string }) => keys.get(id) ?? new Map(),
      keyFor: async () => {},
    } as never,
    cache: new VerifiedTokenCache(),
    clock: { now: () => state.now },
    limit: new SignerLimiter(UNLIMITED),
    metrics: { tokenVerified: () => {}, tokenFromCache: () => {} },
    checkSignature: (check) => {
      checked++
      if (checked === 1) setImmediate(whileWaiting, state)
      return checkInPlace(check)
    },
    isOwnKey: async () => false,
  })
  const claims = { iss: ISSUER, aud: audiencesOf(count), sub: 'alice', exp: NOW_MS / 1000 + 60, ...more }
  const reasons: string[] = []
  const token = mintToken({ key: keyOf(0), claims })
  for await (const { verdict } of verifier.verify(token, REQUEST)) reasons.push(verdict.reason)
  return { checked, reasons }
}

test('R-20 the signature of a token is checked once for a key that several of its signers have', async () => {
  const shared = mintKey('P-521', 'k')
  const { checked, reasons } = await verify(10, () => shared)
  assert.deepEqual([checked, reasons], [1, Array(10).fill('accepted')])
  const other = mintKeyFrom(mintKey('P-521', 'other').privateKey, 'P-521', shared.kid)
  const ofTwo = await verify(4, (index) => (index % 2 === 0 ? shared : other))
  const expected = ['accepted', 'signature-invalid', 'accepted', 'signature-invalid']
  assert.deepEqual([ofTwo.checked, ofTwo.reasons], [2, expected])
})

test('R-20 a token that names more than ten signers is refused without a signature check, and one that names ten is not', async () => {
  const key = mintKey('P-256')
  assert.deepEqual((await verify(10, () => key)).reasons, Array(10).fill('accepted'))
  assert.deepEqual(await verify(11, () => key), { checked: 0, reasons: ['too-many-signers'] })
})

test('F-05 C-02 a token is refused when its key is withdrawn while its rules wait, and when it expires meanwhile', async () => {
  const key = mintKey('P-256')
  const expensive = { ...EXPENSIVE, rules: { ...EXPENSIVE.rules, acceptRule: 'request.method == "POST"' } }
  const reasonAfter = async (whileWaiting: (state: VerifierState) => void) => {
    // Those of another token have used the turn of the event loop.
    ALL_RULES.spend(MAX_RULE_COST)
    const { reasons } = await verify(1, () => key, { ...expensive, whileWaiting })
    return reasons
  }
  assert.deepEqual(await reasonAfter(() => {}), ['accepted'])
  assert.deepEqual(await reasonAfter(({ keys }) => keys.clear()), ['kid-unknown'])
  const expire = (state: VerifierState): void => {
    state.now += 180_000
  }
  assert.deepEqual(await reasonAfter(expire), ['token-expired'])
})

/** Its rules cost half of what all rules of one token may. */
const EXPENSIVE = {
  rules: { attributeRules: Array(3).fill('claims.groups.filter(g, claims.long.contains("ab"))') },
  claims: { groups: Array(80).fill('g'), long: 'a'.repeat(4_000) },
}

test('Z-17 the rules of all signers of a token have a budget together', async () => {
  const shared = mintKey('P-256')
  const { reasons } = await verify(10, () => shared, EXPENSIVE)
  assert.deepEqual(reasons, ['accepted', ...Array(9).fill('rule-error')])
  const cheap = { rules: { attributeRules: Array(16).fill('["a"]') }, claims: EXPENSIVE.claims }
  assert.deepEqual((await verify(10, () => shared, cheap)).reasons, Array(10).fill('accepted'))
})

test('Z-17 the signers of a writer with few rights leave those of others their budget', async () => {
  const shared = mintKey('P-256')
  const writers = ['mallory', 'mallory', 'mallory', 'alice', undefined]
  const { reasons } = await verify(5, () => shared, { ...EXPENSIVE, writers })
  assert.deepEqual(reasons, ['accepted', 'rule-error', 'rule-error', 'accepted', 'accepted'])
})

test('Z-17 other requests have their turn between signers with expensive rules', async () => {
  const shared = mintKey('P-256')
  const turnsOf = async (options: VerifyingOptions) => {
    let turns = 0
    let isDone = false
    const count = () => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    await verify(3, () => shared, options)
    isDone = true
    return turns
  }
  const cheap = { ...EXPENSIVE, rules: { attributeRules: ['["a"]'] } }
  const [least, most] = [await turnsOf(cheap), await turnsOf(EXPENSIVE)]
  assert.ok(most > least, `${most} turns instead of ${least}`)
})
