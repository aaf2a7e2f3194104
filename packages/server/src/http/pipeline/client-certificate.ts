import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { PresentedCertificate } from '../../login/certificate-check.ts'

/** The certificate that the client of a connection presented. Expensive: call only when needed. */
export function readClientCertificate(socket: Socket): PresentedCertificate | undefined {
  const connection = socket as TLSSocket
  const leaf = connection.getPeerX509Certificate?.()
  if (!leaf) return undefined
  return { leaf: leaf.raw, next: leaf.issuerCertificate?.raw, isResumed: connection.isSessionReused() }
}
