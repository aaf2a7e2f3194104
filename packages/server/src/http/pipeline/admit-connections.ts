import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { clientNetwork } from '@countersign/core'
import { createNetworkCheck } from '../../outbound/address-policy.ts'
import type { Settings } from '../../platform/settings/index.ts'
import { type ProxyHeader, parseProxyHeader } from './proxy-header.ts'

type HttpSettings = Pick<
  Settings['http'],
  'trustedProxies' | 'proxyProtocol' | 'maxConnectionsPerAddress' | 'headersTimeoutSeconds'
>

/**
 * Decides about each connection before TLS begins. Reads the PROXY header of the sources that send one, and closes connections over the limit of
 * their client network. A proxy that is trusted for X-Forwarded-For has no limit, because its connections are those of all its clients.
 */
export function admitConnections(server: Server, http: HttpSettings): void {
  const sendsProxyHeader = createNetworkCheck(http.proxyProtocol)
  const isTrustedProxy = createNetworkCheck(http.trustedProxies)
  const timeoutMs = http.headersTimeoutSeconds * 1000
  const startTls = server.listeners('connection')
  const clients = new Map<string, NonNullable<ProxyHeader['client']>>()
  const open = new Map<string, number>()

  /** Counts the connection until it is closed. Returns false over the limit. */
  const count = (socket: Socket, network: string): boolean => {
    const others = open.get(network) ?? 0
    if (http.maxConnectionsPerAddress > 0 && others >= http.maxConnectionsPerAddress) return false
    open.set(network, others + 1)
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
    return true
  }
  const start = (socket: Socket): void => {
    for (const listener of startTls) listener.call(server, socket)
  }
  const admit = (socket: Socket, address: string): void => {
    if (isTrustedProxy(address) || count(socket, clientNetwork(address))) start(socket)
    else socket.destroy()
  }

  const onHeader = (socket: Socket, { client }: ProxyHeader): void => {
    if (!client) {
      start(socket)
      return
    }
    const peer = peerOf(socket)
    clients.set(peer, client)
    socket.once('close', () => clients.delete(peer))
    admit(socket, client.address)
  }

  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    // Without an address the client has already disconnected.
    if (address === undefined) socket.destroy()
    else if (sendsProxyHeader(address)) readHeader(socket, timeoutMs, (header) => onHeader(socket, header))
    else admit(socket, address)
  })
  // Before the first request is read: everything after this sees the client's address.
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const client = clients.get(peerOf(socket))
    if (!client) return
    Object.defineProperty(socket, 'remoteAddress', { value: client.address })
    Object.defineProperty(socket, 'remotePort', { value: client.port })
  })
}

/** Unique among the open connections of a listener. */
function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}

/** Calls `onHeader` with a complete header, and leaves the bytes after it in the socket. Closes the connection without one. */
function readHeader(socket: Socket, timeoutMs: number, onHeader: (header: ProxyHeader) => void): void {
  const cut = (): void => void socket.destroy()
  const timer = setTimeout(cut, timeoutMs)
  let bytes: Buffer = Buffer.alloc(0)
  const onReadable = (): void => {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return
    bytes = Buffer.concat([bytes, chunk])
    try {
      const header = parseProxyHeader(bytes)
      if (!header) return
      stop()
      socket.unshift(bytes.subarray(header.length))
      onHeader(header)
    } catch {
      cut()
    }
  }
  const stop = (): void => {
    clearTimeout(timer)
    socket.off('readable', onReadable).off('end', cut).off('error', cut).off('close', stop)
  }
  socket.on('readable', onReadable).on('end', cut).on('error', cut).on('close', stop)
}
