import { hash, type X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { PresentedCertificate } from '../../token/presented-certificate.ts'

/** More certificates after the leaf are not read. */
const MAX_SENT = 8

/** The certificates after the leaf, by connection: Node returns them once. */
const sentAfterLeaf = new WeakMap<Socket, readonly Buffer[]>()

/** The certificate that the client of a connection presented. Expensive: call only when needed. */
export function readClientCertificate(socket: Socket): PresentedCertificate | undefined {
  const leaf = readLeaf(socket)
  if (!leaf) return undefined
  const isResumed = (socket as TLSSocket).isSessionReused()
  return { leaf: leaf.raw, sent: sentAfterLeaf.get(socket) ?? [], isResumed, connection: socket }
}

/**
 * The bytes of the certificates that the client sent, if this is the first call for the connection. None for a resumed connection, whose
 * certificates were checked before.
 */
export function countCertificateBytes(socket: TLSSocket): number {
  const leaf = socket.getPeerX509Certificate()
  if (!leaf || socket.isSessionReused()) return 0
  return noteSent(socket, leaf).reduce((bytes, { raw }) => bytes + raw.length, 0)
}

const fingerprints = new WeakMap<Socket, string | undefined>()

/** Lower-case hex SHA-1 of the certificate that the client of a connection presented. Computed once per connection. */
export function clientFingerprint(socket: Socket): string | undefined {
  if (!fingerprints.has(socket)) {
    const leaf = readLeaf(socket)
    fingerprints.set(socket, leaf && hash('sha1', leaf.raw, 'hex'))
  }
  return fingerprints.get(socket)
}

const digests = new WeakMap<Socket, string | undefined>()

/** SHA-256 of the certificate that the client of a connection presented, base64url. Computed once per connection. */
export function certificateSha256(socket: Socket): string | undefined {
  if (!digests.has(socket)) {
    const leaf = readLeaf(socket)
    digests.set(socket, leaf && hash('sha256', leaf.raw, 'base64url'))
  }
  return digests.get(socket)
}

function readLeaf(socket: Socket): X509Certificate | undefined {
  const leaf = (socket as TLSSocket).getPeerX509Certificate?.()
  if (leaf) noteSent(socket, leaf)
  return leaf
}

/** Returns all certificates, from the leaf on, that Node returned with it. */
function noteSent(socket: Socket, leaf: X509Certificate): X509Certificate[] {
  const all = [leaf]
  for (let next = leaf.issuerCertificate; next; next = next.issuerCertificate) all.push(next)
  if (all.length > 1)
    sentAfterLeaf.set(
      socket,
      all.slice(1, 1 + MAX_SENT).map(({ raw }) => raw),
    )
  return all
}
