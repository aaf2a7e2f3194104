import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { createNetworkCheck } from '../../outbound/address-policy.ts'
import type { Settings } from '../../platform/settings/index.ts'
import { ConnectionPlaces, type Place } from './connection-places.ts'
import { type ProxyHeader, parseProxyHeader } from './proxy-header.ts'

type HttpSettings = Pick<
  Settings['http'],
  'trustedProxies' | 'proxyProtocol' | 'maxConnections' | 'maxConnectionsPerAddress' | 'headersTimeoutSeconds'
>

/** A connection before TLS, as the TLS socket on it is known by its peer. */
interface Admitted {
  readonly place: Place
  readonly client: ProxyHeader['client']
}

/**
 * Decides about each connection before TLS begins. Reads the PROXY header of the sources that send one, and closes connections for which there is
 * no place. A proxy that is trusted for X-Forwarded-For has no limit of its own, because its connections are those of all its clients.
 */
export function admitConnections(server: Server, http: HttpSettings): void {
  const sendsProxyHeader = createNetworkCheck(http.proxyProtocol)
  const isTrustedProxy = createNetworkCheck(http.trustedProxies)
  const timeoutMs = http.headersTimeoutSeconds * 1000
  const startTls = server.listeners('connection')
  const places = new ConnectionPlaces(http)
  const admitted = new Map<string, Admitted>()
  const placeOf = new WeakMap<Socket, Place>()

  const start = (socket: Socket, place: Place | undefined, client?: ProxyHeader['client']): void => {
    if (!place) {
      socket.destroy()
      return
    }
    const peer = peerOf(socket)
    admitted.set(peer, { place, client })
    socket.once('close', () => {
      places.release(place)
      admitted.delete(peer)
    })
    for (const listener of startTls) listener.call(server, socket)
  }
  const admit = (socket: Socket, address: string, client?: ProxyHeader['client']): void =>
    start(socket, isTrustedProxy(address) ? places.takeForProxy(socket) : places.take(socket, address), client)

  const onHeader = (socket: Socket, { client }: ProxyHeader): void => {
    if (client) admit(socket, client.address, client)
    else start(socket, places.takeForProxy(socket))
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
    const known = admitted.get(peerOf(socket))
    if (!known) return
    const { place, client } = known
    place.socket = socket
    placeOf.set(socket, place)
    if (!client) return
    Object.defineProperty(socket, 'remoteAddress', { value: client.address })
    Object.defineProperty(socket, 'remotePort', { value: client.port })
  })
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const place = placeOf.get(socket)
    if (!place) return
    places.begin(place)
    response.once('close', () => places.end(place))
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
