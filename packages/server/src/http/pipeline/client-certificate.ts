import { hash, type X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { PresentedCertificate } from '../../token/presented-certificate.ts'

/** More certificates after the leaf are not read. */
const MAX_SENT = 8

/** The certificate that the client of a connection presented. Expensive: call only when needed. */
export function readClientCertificate(socket: Socket): PresentedCertificate | undefined {
  const connection = socket as TLSSocket
  const leaf = connection.getPeerX509Certificate?.()
  if (!leaf) return undefined
  return { leaf: leaf.raw, sent: sentAfter(leaf), isResumed: connection.isSessionReused() }
}

function sentAfter(leaf: X509Certificate): readonly Buffer[] {
  const sent: Buffer[] = []
  for (let next = leaf.issuerCertificate; next && sent.length < MAX_SENT; next = next.issuerCertificate) {
    sent.push(next.raw)
  }
  return sent
}

const fingerprints = new WeakMap<Socket, string | undefined>()

/** Lower-case hex SHA-1 of the certificate that the client of a connection presented. Computed once per connection. */
export function clientFingerprint(socket: Socket): string | undefined {
  if (!fingerprints.has(socket)) {
    const leaf = (socket as TLSSocket).getPeerX509Certificate?.()
    fingerprints.set(socket, leaf && hash('sha1', leaf.raw, 'hex'))
  }
  return fingerprints.get(socket)
}
