import assert from 'node:assert/strict'
import type { Agent } from 'node:https'
import {
  type ControllerResponse,
  type ControllerStage,
  makeTestCertificate,
  makeTestCsr,
  mintKeyFrom,
  mintToken,
  type ReadyController,
} from '@countersign/testkit'
import { SIGNERS } from './signer-body.ts'

const ENROLL = '/edge/client/v1/enroll/token'
const ISSUER = 'https://enroll.example.test'
const AUDIENCE = 'enroll'
export const PASSWORD = 'the password of the enrollment rounds'
export const GROUPS = ['engineering', 'sales']

export const ENROLLMENT_KINDS = ['token', 'cert'] as const
export type EnrollmentKind = (typeof ENROLLMENT_KINDS)[number]

interface Acknowledged {
  readonly kind: EnrollmentKind
  readonly identityId: string
  /** The client's certificate, for an enrollment to a certificate. */
  readonly client: { readonly cert: string; readonly key: string } | undefined
}

/** The acknowledged enrollments of all rounds, which every later start must have. */
export interface EnrollmentRecord {
  /** By subject. */
  readonly enrolled: Map<string, Acknowledged>
  /** Enrollments without a response: stored completely or not at all. */
  readonly interrupted: Map<string, EnrollmentKind>
  readonly provider: ReturnType<typeof createProvider>
  rounds: number
}

export function createEnrollmentRecord(): EnrollmentRecord {
  return { enrolled: new Map(), interrupted: new Map(), provider: createProvider(), rounds: 0 }
}

function createProvider() {
  const { pem, privateKey } = makeTestCertificate({ kind: 'ec256', commonName: 'provider' })
  const key = mintKeyFrom(privateKey, 'P-256', 'enroll')
  const exp = Math.floor(Date.now() / 1000) + 24 * 3600
  return {
    certPem: pem,
    token: (sub: string) => mintToken({ key, claims: { iss: ISSUER, aud: AUDIENCE, sub, exp, groups: GROUPS } }),
  }
}

/** Starts a controller with one signer that enrolls. No limit by address, since all refusals come from one. */
export async function startEnrolling(stage: ControllerStage, { provider }: EnrollmentRecord): Promise<ReadyController> {
  const env = { COUNTERSIGN_ADMIN_PASSWORD: PASSWORD, COUNTERSIGN_LIMITS_ADDRESS_BURST: '0' }
  const controller = await stage.start({ env })
  const session = await controller.logIn(PASSWORD)
  const { json } = await controller.request('GET', SIGNERS, { session })
  if (json.data.length > 0) return controller
  const body = {
    name: 'provider',
    enabled: true,
    issuer: ISSUER,
    audience: AUDIENCE,
    kid: 'enroll',
    certPem: provider.certPem,
    useExternalId: true,
    enrollToTokenEnabled: true,
    enrollToCertEnabled: true,
    enrollAttributeClaimsSelector: '/groups',
  }
  const created = await controller.request('POST', SIGNERS, { session, body })
  assert.equal(created.status, 201, created.text)
  return controller
}

/** Enrolls once. `response` is undefined when the connection breaks. */
export async function enrollOnce(
  controller: ReadyController,
  token: string,
  kind: EnrollmentKind,
  agent?: Agent,
): Promise<{ response: ControllerResponse | undefined; client: Acknowledged['client'] }> {
  const csr = kind === 'cert' ? makeTestCsr() : undefined
  const options = {
    body: csr ? { clientCsr: csr.pem } : {},
    headers: { authorization: `Bearer ${token}` },
    ...(agent && { agent }),
  }
  const response = await controller.request('POST', ENROLL, options).catch(() => undefined)
  const cert = response?.json?.data?.cert as string | undefined
  const key = csr?.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return { response, client: cert === undefined ? undefined : { cert, key } }
}
