import { randomUUID } from 'node:crypto'
import { buildExtension, der, OID } from '@countersign/core'
import {
  makeTestAuthority,
  makeTestCertificate,
  type TestAuthorityOptions,
  type TestCertificate,
  type TestCertificateOptions,
} from '@countersign/testkit'
import type { Reply, TestApp } from './build-app.ts'
import { type ClientKeys, pemOfKey } from './client-certificates.fixture.ts'

export const CAS = '/edge/management/v1/cas'

type Body = Record<string, unknown>

/** The body of a new CA, with every switch on. */
export function caBody(certPem: string, members: Body = {}): Body {
  return {
    name: `ca-${randomUUID()}`,
    certPem,
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: true,
    isOttCaEnrollmentEnabled: true,
    identityRoles: ['devices'],
    ...members,
  }
}

export const CLAIM = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
}

export interface TestCa {
  readonly id: string
  readonly authority: TestCertificate
}

export interface NewTestCa extends Body {
  readonly authority?: TestCertificate
  readonly options?: TestAuthorityOptions
  /** By default the administrator's. */
  readonly session?: string
  readonly isVerified?: boolean
}

/** Registers a CA with a new key, and verifies it. */
export async function makeCa(app: TestApp, given: NewTestCa = {}): Promise<TestCa> {
  const { authority: known, options, session = app.adminSession, isVerified = true, ...members } = given
  const authority = known ?? makeTestAuthority({ commonName: `root ${randomUUID()}`, ...options })
  const reply = await app.call('POST', CAS, caBody(authority.pem, members), { session })
  if (reply.status !== 201) throw new Error(`create CA: ${reply.status} ${reply.text}`)
  const ca = { id: reply.json.data.id as string, authority }
  if (isVerified) {
    const verified = await verify(app, ca, { session })
    if (verified.status !== 200) throw new Error(`verify CA: ${verified.status} ${verified.text}`)
  }
  return ca
}

export async function caOf(app: TestApp, id: string) {
  return (await app.admin('GET', `${CAS}/${id}`)).json.data
}

/** Sends a proof; by default a right one. */
export async function verify(
  app: TestApp,
  { id, authority }: TestCa,
  options: { readonly session?: string; readonly pem?: string /** `''`: none. */; readonly type?: string } = {},
): Promise<Reply> {
  const { session = app.adminSession, type = 'text/plain' } = options
  const pem = options.pem ?? makeTestCertificate({ issuer: authority, commonName: await tokenOf(app, id) }).pem
  const raw = type === 'application/json' ? JSON.stringify(pem) : pem
  return app.call('POST', `${CAS}/${id}/verify`, undefined, { session, raw, headers: { 'content-type': type } })
}

async function tokenOf(app: TestApp, id: string): Promise<string> {
  return (await caOf(app, id)).verificationToken
}

export const SERVER_ONLY = buildExtension(OID.extendedKeyUsage, der.sequence(der.oid(OID.serverAuth)))
export const CLIENT_AUTH = buildExtension(OID.extendedKeyUsage, der.sequence(der.oid(OID.clientAuth)))

export interface TestLeaf extends ClientKeys {
  readonly certificate: TestCertificate
}

/** Issues a certificate of a CA, with the certificates that the client sends after it. */
export function issueLeaf(
  issuer: TestCertificate,
  options: TestCertificateOptions = {},
  sent: readonly TestCertificate[] = [],
): TestLeaf {
  const certificate = makeTestCertificate({ commonName: `device ${randomUUID()}`, issuer, ...options })
  return {
    certificate,
    cert: [certificate, ...sent].map(({ pem }) => pem).join(''),
    key: pemOfKey(certificate),
  }
}
