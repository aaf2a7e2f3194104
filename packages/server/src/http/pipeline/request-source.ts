import type { FastifyRequest } from 'fastify'
import type { RequestSource } from '../../store/operation-meta.ts'

export function requestSource(request: FastifyRequest): RequestSource {
  const { localAddress, localPort } = request.socket
  return {
    method: request.method,
    localAddr: withPort(localAddress ?? '', localPort),
    remoteAddr: remoteAddrOf(request),
  }
}

/** The port is the client's own only where no proxy stands between. */
export function remoteAddrOf({ ip, socket }: FastifyRequest): string {
  return withPort(ip, ip === socket.remoteAddress ? socket.remotePort : undefined)
}

function withPort(address: string, port: number | undefined): string {
  if (port === undefined) return address
  // Whatever of these holds a colon is an IPv6 address.
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
