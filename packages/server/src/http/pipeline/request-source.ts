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

/** Without a port behind a proxy: the port of the connection is then the proxy's. */
export function remoteAddrOf({ ip, socket }: FastifyRequest): string {
  return withPort(ip, ip === socket.remoteAddress ? socket.remotePort : undefined)
}

function withPort(address: string, port: number | undefined): string {
  if (port === undefined) return address
  // An address with a colon is IPv6.
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
