import { makeTestCsr } from '@countersign/testkit'
import type { Row } from './report/result.ts'
import type { BenchPart } from './support/bench-run.ts'
import { createBenchSigner } from './support/bench-signer.ts'
import { http } from './support/http.ts'
import { inTurn } from './support/in-turn.ts'
import { measureIssuing } from './support/issuing.ts'
import { measureOperations, OPERATION_COLUMNS, plotColumn } from './support/measure.ts'
import { CLIENT, withServers } from './support/product.ts'

const ENROLLMENTS = 14_000
const QUICK_ENROLLMENTS = 800
const ISSUING_ROUNDS = 6
const QUICK_ISSUING_ROUNDS = 1
const KINDS = ['ec256', 'rsa2048', 'ed25519'] as const

/** How fast identities enroll, and how fast certificates are issued by the function alone, beside nothing but the signatures that takes. */
export const enroll: BenchPart = async (run) => {
  await withServers(async (product, bare) => {
    const maxRequests = run.options.isQuick ? QUICK_ENROLLMENTS : ENROLLMENTS
    const signer = await createBenchSigner(product, 'bench', 'RSA', {
      enrollToCertEnabled: true,
      enrollToTokenEnabled: true,
      enrollAttributeClaimsSelector: '/groups',
    })
    run.say(`${maxRequests} requests of each kind`)
    const requestsOf = (kind: string, bodyOf: () => object) =>
      Array.from({ length: maxRequests }, (_, number) => {
        const headers = { authorization: `Bearer ${signer.mint(`${kind}-${number}`)}` }
        return http('POST', `${CLIENT}/enroll/token`, headers, JSON.stringify(bodyOf()))
      })
    const toCertificate = requestsOf('cert', () => ({ clientCsr: makeTestCsr().pem }))
    const toToken = requestsOf('token', () => ({}))
    const common = { expectStatus: 200, bare: { headers: signer.bareHeaders(signer.mint('bare')) } }
    const once = { ...common, maxRequests }
    const rows = await measureOperations(
      { product, bare },
      [
        {
          operation: 'enroll to a certificate (P-256), RS256 token',
          ...once,
          request: inTurn(toCertificate),
          aims: { cpuMs: { atMost: 1.5 } },
        },
        {
          operation: 'enroll to token use, RS256 token',
          ...once,
          request: inTurn(toToken),
          aims: {},
        },
        {
          operation: 'enroll again, refused',
          ...common,
          expectStatus: 409,
          request: inTurn(toCertificate.slice(0, 1)),
          aims: {},
        },
      ],
      run,
    )
    run.report({
      title: 'Enrolling',
      text: 'End to end, stored before it is answered; the bare server only verifies the token and answers as many bytes.',
      columns: OPERATION_COLUMNS,
      rows,
      plots: [plotColumn('Processor time of one enrollment, ms', rows, 'cpuMs')],
    })
  })
  const rows: Row[] = []
  for (const kind of KINDS) {
    run.say(`issuing, ${kind}`)
    const { issue, bare } = await measureIssuing(kind, run.options.isQuick ? QUICK_ISSUING_ROUNDS : ISSUING_ROUNDS)
    rows.push({
      name: kind,
      measures: {
        perSecond: { value: issue.perSecond, bare: bare.perSecond },
        ofBare: { value: (100 * issue.perSecond) / bare.perSecond },
        cpuMs: { value: issue.cpuMs, bare: bare.cpuMs },
      },
    })
  }
  run.report({
    title: 'Issuing certificates',
    text: 'The function alone, without HTTP and store; bare is checking the signature of the request and signing as many bytes.',
    columns: OPERATION_COLUMNS.filter(({ key }) => key !== 'p99Ms'),
    rows,
    plots: [plotColumn('Processor time of one certificate, ms', rows, 'cpuMs')],
  })
}
