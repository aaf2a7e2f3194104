import { makeTestCsr } from '@countersign/testkit'
import type { Row } from './report/result.ts'
import type { DatabaseName } from './support/bench-database.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { createBenchSigner } from './support/bench-signer.ts'
import { buildRequest } from './support/build-request.ts'
import { measureIssuing } from './support/measure-issuing.ts'
import { measureOperations, OPERATION_COLUMNS } from './support/measure-operations.ts'
import { CLIENT, withServers } from './support/product.ts'
import { roundRobin } from './support/round-robin.ts'

const ENROLLMENTS = 14_000
const QUICK_ENROLLMENTS = 800
const ISSUING_ROUNDS = 6
const QUICK_ISSUING_ROUNDS = 1
/** CPU time of an enrollment to a certificate. */
const MAX_CERTIFICATE_MS = { embedded: 1.5, PostgreSQL: 1.6 }
const KINDS = ['ec256', 'rsa2048', 'ed25519'] as const

/** Enrollment over HTTP, and issuing of certificates by the function alone, compared with the bare signature operations. */
export const enroll: BenchPart = async (run) => {
  for (const database of run.options.databases) await measureEnrolling(run, database)
  await measureIssuingAlone(run)
}

async function measureEnrolling(run: BenchRun, database: DatabaseName): Promise<void> {
  await withServers(database, async (product, bare) => {
    const maxRequests = run.options.isQuick ? QUICK_ENROLLMENTS : ENROLLMENTS
    const signer = await createBenchSigner(product, 'bench', 'RSA', {
      enrollToCertEnabled: true,
      enrollToTokenEnabled: true,
      enrollAttributeClaimsSelector: '/groups',
    })
    run.progress(`preparing ${maxRequests} requests of each kind`)
    const requestsOf = (kind: string, bodyOf: () => object) =>
      Array.from({ length: maxRequests }, (_, number) => {
        const headers = { authorization: `Bearer ${signer.mint(`${kind}-${number}`)}` }
        return buildRequest('POST', `${CLIENT}/enroll/token`, headers, JSON.stringify(bodyOf()))
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
          request: roundRobin(toCertificate),
          targets: { cpuMs: { atMost: MAX_CERTIFICATE_MS[database] } },
        },
        {
          operation: 'enroll for token login, RS256 token',
          ...once,
          request: roundRobin(toToken),
          targets: {},
        },
        {
          operation: 'enroll again, refused',
          ...common,
          expectStatus: 409,
          request: roundRobin(toCertificate.slice(0, 1)),
          targets: {},
        },
      ],
      run,
    )
    run.report({
      title: `Enrolling (${database})`,
      text: 'End to end, committed before the response is sent. The bare server verifies the token and returns as many bytes.',
      columns: OPERATION_COLUMNS,
      rows,
    })
  })
}

async function measureIssuingAlone(run: BenchRun): Promise<void> {
  const rows: Row[] = []
  for (const kind of KINDS) {
    run.progress(`issuing, ${kind}`)
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
    text: 'The function alone, without HTTP and database. Bare: verify the signature of the request and sign as many bytes.',
    columns: OPERATION_COLUMNS.filter(({ key }) => key !== 'p99Ms'),
    rows,
  })
}
