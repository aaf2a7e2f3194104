import { once } from 'node:events'
import { type Agent, request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { formatPem } from '@countersign/core'
import { makeTestCsr, type TestKeyPair } from '@countersign/testkit'
import { createClientCertificates } from '../../src/platform/keys/client-certificates.ts'
import { getTestAuthority, type TestAuthority } from '../platform/keys/test-authority.ts'
import type { CallOptions, Reply, TestApp } from './build-app.ts'
import { AUTHENTICATORS, createIdentity } from './identities.fixture.ts'

export const LOG_IN = '/edge/client/v1/authenticate?method=cert'

/** The certificate and key that a client presents. */
export interface ClientKeys {
  /** PEM: the leaf and the certificates sent after it. */
  readonly cert: string
  readonly key: string
}

export interface IssuedToClient extends ClientKeys {
  /** The leaf alone. */
  readonly certPem: string
  readonly fingerprint: string
  readonly keyPair: TestKeyPair
}

export const pemOfKey = ({ privateKey }: Pick<TestKeyPair, 'privateKey'>): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }) as string

/** Issues a certificate of the controller's own CA without recording it. */
export async function issueTo(
  app: Pick<TestApp, 'clock'>,
  identityId: string,
  {
    keyPair,
    authority,
    clientDays = 365,
  }: { keyPair?: TestKeyPair; authority?: TestAuthority; clientDays?: number } = {},
): Promise<IssuedToClient> {
  const csr = makeTestCsr(keyPair && { keyPair })
  const keys = authority ?? (await getTestAuthority())
  const issuing = createClientCertificates({ keys: () => keys, clock: app.clock, clientDays })
  const { certPem, chainPem, fingerprint } = await issuing.issue(csr.pem, identityId)
  return { certPem, fingerprint, keyPair: csr, cert: chainPem, key: pemOfKey(csr) }
}

/** Creates an identity that can log in only by certificate. */
export async function makeHolder(
  app: TestApp,
  { identity = {}, ...issue }: Parameters<typeof issueTo>[2] & { identity?: Record<string, unknown> } = {},
) {
  const id = await createIdentity(app, identity)
  const issued = await issueTo(app, id, issue)
  const reply = await app.admin('POST', AUTHENTICATORS, { method: 'cert', identityId: id, certPem: issued.certPem })
  if (reply.status !== 201) throw new Error(`record certificate: ${reply.status} ${reply.text}`)
  return { id, authenticatorId: reply.json.data.id as string, ...issued }
}

/** Returns the intermediate certificate, which clients send after their leaf. */
export async function intermediatePem(): Promise<string> {
  return formatPem('CERTIFICATE', (await getTestAuthority()).issuer.certificate)
}

export interface TlsCallOptions extends Partial<ClientKeys>, CallOptions {
  readonly body?: unknown
  /** Sent unchanged, with the content type given in `headers`. */
  readonly rawBody?: string
  readonly version?: 'TLSv1.2' | 'TLSv1.3'
  /** The session of an earlier connection, to resume. */
  readonly resume?: Buffer
  /** Keeps the connection for the next call with this agent and these keys. */
  readonly agent?: Agent
}

export interface TlsReply extends Reply {
  readonly isResumed: boolean
  /** Resumes the TLS session of this connection. */
  readonly tlsSession: Buffer | undefined
}

export type TlsCall = (method: string, path: string, options?: TlsCallOptions) => Promise<TlsReply>

/** Starts the controller's listener. Each call uses its own TLS connection, unless it has an agent. */
export async function overTls(app: TestApp): Promise<TlsCall> {
  const { http } = app.controller
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  return async (method, path, options = {}) => {
    const { body, rawBody, session, headers, version, resume, cert, key, agent = false } = options
    const sent = request({
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      method,
      path,
      agent,
      rejectUnauthorized: false,
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(version && { minVersion: version, maxVersion: version }),
      ...(resume && { session: resume }),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(session !== undefined && { 'zt-session': session }),
        ...headers,
      },
    })
    let tlsSession: Buffer | undefined
    sent.once('socket', (socket) => {
      socket.on('session', (given: Buffer) => {
        tlsSession = given
      })
    })
    sent.end(rawBody ?? (body === undefined ? undefined : JSON.stringify(body)))
    const [response] = await once(sent, 'response')
    const isResumed = (response.socket as TLSSocket).isSessionReused()
    let text = ''
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    await once(response, 'end')
    const isJson = String(response.headers['content-type']).startsWith('application/json') && text !== ''
    const json = isJson ? JSON.parse(text) : undefined
    return { status: response.statusCode, headers: response.headers, text, json, isResumed, tlsSession }
  }
}
