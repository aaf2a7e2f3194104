import { constants } from 'node:crypto'
import { type MintAlgorithm, type MintKey, mintKey } from '@countersign/testkit'
import type { Column, Row } from './report/result.ts'
import type { BenchPart } from './support/bench-run.ts'
import { raceOfAlgorithm, raceOfSigners } from './support/verify-races.ts'

const ROUNDS = 25
const QUICK_ROUNDS = 2

/** With what `crypto.verify` must be told; where its defaults do, it gets the bare key, which is faster. */
const ROWS: readonly [MintAlgorithm, MintKey, object | undefined][] = [
  ['RS256', mintKey('RSA'), undefined],
  ['PS256', mintKey('RSA'), { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }],
  ['ES256', mintKey('P-256'), { dsaEncoding: 'ieee-p1363' }],
  ['EdDSA', mintKey('Ed25519'), undefined],
]

const COLUMNS: readonly Column[] = [
  { key: 'crypto.verify', title: 'crypto.verify/s', digits: 0 },
  { key: 'jose', title: 'jose/s', digits: 0 },
  { key: 'cold', title: 'cold/s', digits: 0 },
  { key: 'cached', title: 'cached/s', digits: 0 },
  { key: 'toBare', title: 'cold to crypto.verify', digits: 2 },
  { key: 'toCold', title: 'cached to cold', digits: 1 },
]

function buildRow(alg: MintAlgorithm, result: ReadonlyMap<string, number>): Row {
  const of = (name: string): number => result.get(name) ?? 0
  const plain = ['crypto.verify', 'jose', 'cold', 'cached'].map((name) => [name, { value: of(name) }])
  const toBare = of('cold') / of('crypto.verify')
  return {
    name: alg,
    measures: {
      ...Object.fromEntries(plain),
      toBare: alg === 'RS256' ? { value: toBare, aim: { atLeast: 0.75 } } : { value: toBare },
      toCold: { value: of('cached') / of('cold'), aim: { atLeast: 10 } },
    },
  }
}

/** The verify function by itself, beside `jose` and beside nothing but the signature; then among 10 and 10,000 signers. */
export const verify: BenchPart = async ({ options, say, report }) => {
  const rounds = options.isQuick ? QUICK_ROUNDS : ROUNDS
  const rows: Row[] = []
  for (const [alg, key, more] of ROWS) {
    say(alg)
    rows.push(buildRow(alg, await raceOfAlgorithm(alg, key, more, rounds)))
  }
  const bars = rows.map(({ name, measures: { cold, 'crypto.verify': bare } }) => {
    return { name, measure: { value: cold?.value ?? 0, bare: bare?.value ?? 0 } }
  })
  report({
    title: 'Verifying tokens',
    text: 'The verify function alone, 32 at a time, per second: ours with an unknown token (cold) and with a known one (cached), jose, and nothing but the signature.',
    columns: COLUMNS,
    rows,
    plots: [{ kind: 'bars', title: 'Unknown tokens a second, beside bare crypto.verify', bars }],
  })
  say('among many signers')
  const [few, many] = [10, 10_000]
  const found = await raceOfSigners([few, many], rounds)
  report({
    title: 'Verifying tokens among many signers',
    text: 'Reading the token, choosing the signer by issuer and audience, verifying; RS256, per second.',
    columns: [
      { key: 'few', title: `${few} signers/s`, digits: 0 },
      { key: 'many', title: `${many.toLocaleString('en-US')} signers/s`, digits: 0 },
      { key: 'ratio', title: 'many to few', digits: 2 },
    ],
    rows: ['cold', 'cached'].map((kind) => {
      const of = (count: number): number => found.get(`${count} signers, ${kind}`) ?? 0
      const ratio = { value: of(many) / of(few), aim: { atLeast: 0.8 } }
      return { name: kind, measures: { few: { value: of(few) }, many: { value: of(many) }, ratio } }
    }),
    plots: [],
  })
}
