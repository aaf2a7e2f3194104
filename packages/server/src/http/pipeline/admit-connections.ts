import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Handshake, HandshakeLimiter } from '../../limits/handshake-limiter.ts'
import { createNetworkCheck } from '../../outbound/address-policy.ts'
import type { Settings } from '../../platform/settings/index.ts'
import { countCertificates } from './client-certificate.ts'
import { ConnectionPlaces, type Place } from './connection-places.ts'
import { type ProxyHeader, parseProxyHeader } from './proxy-header.ts'

type HttpSettings = Pick<
  Settings['http'],
  'trustedProxies' | 'proxyProtocol' | 'maxConnections' | 'maxConnectionsPerAddress' | 'headersTimeoutSeconds'
>

/** A connection before TLS, as the TLS socket on it is known by its peer. */
interface Admitted {
  readonly place: Place
  /** The client's address. */
  readonly address: string
  readonly client: ProxyHeader['client']
  readonly handshake: Handshake | undefined
}

/** Of one handshake. Logins read at most nine. */
const MAX_CERTIFICATES = 16
const MAX_CERTIFICATE_BYTES = 32 * 1024
/** A handshake that fails below this size had no certificate that is slow to check. */
const FREE_FAILURE_BYTES = 1024
/** The server sends more than this, with its certificate, before it reads those of a client. */
const SENT_BEFORE_CERTIFICATES = 400

/**
 * Decides about each connection before TLS begins. Reads the PROXY header of the sources that send one, and closes connections for which there is
 * no place. A proxy that is trusted for X-Forwarded-For has no limit of its own, because its connections are those of all its clients. Charges the
 * certificates of clients to their networks.
 */
export function admitConnections(server: Server, http: HttpSettings, handshakes: HandshakeLimiter | undefined): void {
  const sendsProxyHeader = createNetworkCheck(http.proxyProtocol)
  const isTrustedProxy = createNetworkCheck(http.trustedProxies)
  const timeoutMs = http.headersTimeoutSeconds * 1000
  const tlsListeners = server.listeners('connection')
  const places = new ConnectionPlaces(http)
  const admitted = new Map<string, Admitted>()
  const placeOf = new WeakMap<Socket, Place>()

  const startTls = (socket: Socket): undefined => {
    for (const listener of tlsListeners) listener.call(server, socket)
  }
  const limitHandshake = (limiter: HandshakeLimiter, socket: Socket, address: string): Handshake => {
    const cut = (): void => void socket.destroy()
    let begun: Handshake | undefined
    // A connection that sends nothing has no turn, and keeps no other from having one.
    onFirstBytes(socket, timeoutMs, () => {
      // A connection that waits has no other listener.
      socket.on('error', cut)
      const start = (): void => {
        socket.off('error', cut)
        startTls(socket)
      }
      begun = limiter.begin(address, { start, cut })
    })
    return { end: (bytes) => begun?.end(bytes) }
  }

  const start = (socket: Socket, place: Place | undefined, address: string, client?: ProxyHeader['client']): void => {
    if (!place) {
      socket.destroy()
      return
    }
    const peer = peerOf(socket)
    const isLimited = handshakes && place.holder
    const handshake = isLimited ? limitHandshake(handshakes, socket, address) : startTls(socket)
    admitted.set(peer, { place, address, client, handshake })
    socket.once('close', () => {
      places.release(place)
      admitted.delete(peer)
      handshake?.end(costOfFailure(socket))
    })
  }
  const admit = (socket: Socket, address: string, client?: ProxyHeader['client']): void =>
    start(socket, isTrustedProxy(address) ? places.takeForProxy(socket) : places.take(socket, address), address, client)

  const onHeader = (socket: Socket, proxy: string, { client }: ProxyHeader): void => {
    if (client) admit(socket, client.address, client)
    else start(socket, places.takeForProxy(socket), proxy)
  }

  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    // Without an address the client has already disconnected.
    if (address === undefined) socket.destroy()
    else if (sendsProxyHeader(address)) readHeader(socket, timeoutMs, (header) => onHeader(socket, address, header))
    else admit(socket, address)
  })
  // Before the first request is read: everything after this sees the client's address.
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const known = admitted.get(peerOf(socket))
    if (!known) return
    const { place, address, client, handshake } = known
    place.socket = socket
    placeOf.set(socket, place)
    const { count, bytes } = countCertificates(socket)
    handshake?.end(bytes)
    if (count > MAX_CERTIFICATES || bytes > MAX_CERTIFICATE_BYTES) {
      handshakes?.noteRefusal(address)
      socket.destroy()
      return
    }
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

/** The bytes that a handshake without an end is charged: those in which OpenSSL can have checked certificates. */
function costOfFailure({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead > FREE_FAILURE_BYTES && bytesWritten > SENT_BEFORE_CERTIFICATES ? bytesRead : 0
}

/** Unique among the open connections of a listener. */
function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}

/** Calls `onHeader` with a complete header, and leaves the bytes after it in the socket. Closes the connection without one. */
function readHeader(socket: Socket, timeoutMs: number, onHeader: (header: ProxyHeader) => void): void {
  let bytes: Buffer = Buffer.alloc(0)
  const stop = onReadable(socket, timeoutMs, () => {
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
      socket.destroy()
    }
  })
}

/** Calls `onBytes` when the first bytes have arrived, and leaves them in the socket. Closes the connection without any. */
function onFirstBytes(socket: Socket, timeoutMs: number, onBytes: () => void): void {
  const stop = onReadable(socket, timeoutMs, () => {
    if (socket.readableLength === 0) return
    stop()
    onBytes()
  })
  // Those that came with a PROXY header are not announced again.
  if (socket.readableLength > 0) {
    stop()
    onBytes()
  }
}

/** Calls `read` while bytes arrive, until the returned function is called. Closes the connection after the given time. */
function onReadable(socket: Socket, timeoutMs: number, read: () => void): () => void {
  const cut = (): void => void socket.destroy()
  const timer = setTimeout(cut, timeoutMs)
  const stop = (): void => {
    clearTimeout(timer)
    socket.off('readable', read).off('end', cut).off('error', cut).off('close', stop)
  }
  socket.on('readable', read).on('end', cut).on('error', cut).on('close', stop)
  return stop
}
