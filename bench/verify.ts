import { constants } from 'node:crypto'
import { type MintAlgorithm, type MintKey, mintKey } from '@countersign/testkit'
import type { Column, Row } from './report/result.ts'
import type { BenchPart } from './support/bench-run.ts'
import { compareByAlgorithm, compareBySignerCount } from './support/compare-verifiers.ts'

const ROUNDS = 25
const QUICK_ROUNDS = 2

/** The last member holds the options of `crypto.verify`. Undefined passes the key alone, which is faster. */
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
  { key: 'toBare', title: 'cold / crypto.verify', digits: 2 },
  { key: 'toCold', title: 'cached / cold', digits: 1 },
]

function buildRow(alg: MintAlgorithm, result: ReadonlyMap<string, number>): Row {
  const of = (name: string): number => result.get(name) ?? 0
  const plain = ['crypto.verify', 'jose', 'cold', 'cached'].map((name) => [name, { value: of(name) }])
  const toBare = of('cold') / of('crypto.verify')
  return {
    name: alg,
    measures: {
      ...Object.fromEntries(plain),
      toBare: alg === 'RS256' ? { value: toBare, target: { atLeast: 0.75 } } : { value: toBare },
      toCold: { value: of('cached') / of('cold'), target: { atLeast: 10 } },
    },
  }
}

/** The verify function alone, compared with `jose` and with `crypto.verify`; then with 10 and 10,000 signers. */
export const verify: BenchPart = async ({ options, progress, report }) => {
  const rounds = options.isQuick ? QUICK_ROUNDS : ROUNDS
  const rows: Row[] = []
  for (const [alg, key, verifyOptions] of ROWS) {
    progress(alg)
    rows.push(buildRow(alg, await compareByAlgorithm(alg, key, verifyOptions, rounds)))
  }
  report({
    title: 'Verifying tokens',
    text: 'Verifications per second of the function alone, 32 concurrent: crypto.verify (only the signature), jose, and Countersign with an unknown token (cold) and a known one (cached).',
    columns: COLUMNS,
    rows,
  })
  progress('with many signers')
  const [few, many] = [10, 10_000]
  const rates = await compareBySignerCount([few, many], rounds)
  report({
    title: 'Verifying tokens with many signers',
    text: 'Parse the token, select the signer by issuer and audience, verify; RS256, per second.',
    columns: [
      { key: 'few', title: `${few} signers/s`, digits: 0 },
      { key: 'many', title: `${many.toLocaleString('en-US')} signers/s`, digits: 0 },
      { key: 'ratio', title: 'many / few', digits: 2 },
    ],
    rows: ['cold', 'cached'].map((kind) => {
      const of = (count: number): number => rates.get(`${count} signers, ${kind}`) ?? 0
      const ratio = { value: of(many) / of(few), target: { atLeast: 0.8 } }
      return { name: kind, measures: { few: { value: of(few) }, many: { value: of(many) }, ratio } }
    }),
  })
}
