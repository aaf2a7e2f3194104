import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Handshake, HandshakeLimiter } from '../../limits/handshake-limiter.ts'
import { createNetworkCheck } from '../../outbound/address-policy.ts'
import type { Settings } from '../../platform/settings/index.ts'
import { GuardedSocket } from '../../platform/tls/guarded-socket.ts'
import { HandshakeGuard } from '../../platform/tls/handshake-guard.ts'
import { countCertificateBytes } from './client-certificate.ts'
import { ConnectionPlaces, type Place } from './connection-places.ts'
import { type ProxyHeader, parseProxyHeader } from './proxy-header.ts'

type HttpSettings = Pick<
  Settings['http'],
  'trustedProxies' | 'proxyProtocol' | 'maxConnections' | 'maxConnectionsPerAddress' | 'headersTimeoutSeconds'
>

/** A connection before TLS. */
interface Admitted {
  readonly place: Place
  /** The client behind proxies that send a PROXY header. */
  readonly remote: { readonly address: string; readonly port: number | undefined }
  readonly local: { readonly address: string | undefined; readonly port: number | undefined }
  handshake?: Handshake
}

/** Requests of one connection that wait behind another one. Clients that send the next one before the response send few. */
const MAX_PIPELINED = 16
/** For Node's parser: what follows the request is not HTTP. */
const END_OF_HTTP = 2
/** A handshake that fails below this size had no certificate that is slow to check. */
const FREE_FAILURE_BYTES = 1024
/** The server sends more than this, with its certificate, before it reads those of a client. */
const SENT_BEFORE_CERTIFICATES = 400

/**
 * Decides about each connection before TLS begins. Reads the PROXY header of the sources that send one, and closes connections for which there is
 * no place. A proxy that is trusted for X-Forwarded-For has no limit of its own, because its connections are those of all its clients. Refuses
 * certificates that OpenSSL must not parse, and charges the others to the networks of their clients.
 */
export function admitConnections(server: Server, http: HttpSettings, handshakes: HandshakeLimiter | undefined): void {
  const sendsProxyHeader = createNetworkCheck(http.proxyProtocol)
  const isTrustedProxy = createNetworkCheck(http.trustedProxies)
  const timeoutMs = http.headersTimeoutSeconds * 1000
  const tlsListeners = server.listeners('connection')
  const places = new ConnectionPlaces(http)
  /** The connection that TLS is at work on. Node has no other way from a TLS socket to what it runs on. */
  const current = new AsyncLocalStorage<{ readonly guarded: GuardedSocket; readonly admitted: Admitted }>()
  const placeOf = new WeakMap<Socket, Place>()

  const startTls = (socket: Socket, admitted: Admitted): void => {
    const onRefused = (): void => handshakes?.noteRefusal(admitted.remote.address)
    const guarded = new GuardedSocket(socket, new HandshakeGuard('client'), onRefused)
    current.run({ guarded, admitted }, () => {
      for (const listener of tlsListeners) listener.call(server, guarded)
    })
  }
  const limitHandshake = (limiter: HandshakeLimiter, socket: Socket, address: string, start: () => void): Handshake => {
    const cut = (): void => void socket.destroy()
    let handshake: Handshake | undefined
    // A connection that sends nothing has no turn, and keeps no other from having one.
    onFirstBytes(socket, timeoutMs, () => {
      // A connection that waits has no other listener.
      socket.on('error', cut)
      const startOnce = (): void => {
        socket.off('error', cut)
        start()
      }
      handshake = limiter.begin(address, { start: startOnce, cut })
    })
    return { end: (bytes) => handshake?.end(bytes) }
  }

  const start = (socket: Socket, place: Place | undefined, address: string, client?: ProxyHeader['client']): void => {
    if (!place) {
      socket.destroy()
      return
    }
    const remote = client ?? { address, port: socket.remotePort }
    const admitted: Admitted = { place, remote, local: { address: socket.localAddress, port: socket.localPort } }
    const begin = (): void => startTls(socket, admitted)
    if (handshakes && place.holder) admitted.handshake = limitHandshake(handshakes, socket, address, begin)
    else begin()
    socket.once('close', () => {
      places.release(place)
      admitted.handshake?.end(costOfFailure(socket))
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
  server.on('keylog', (line: Buffer) => current.getStore()?.guarded.noteSecret(line))
  // Before the first request is read: everything after this sees the client's address.
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const known = current.getStore()
    // Without a place it would not be counted.
    if (!known) return void socket.destroy()
    known.guarded.noteEnd()
    const { place, remote, local, handshake } = known.admitted
    place.socket = socket
    placeOf.set(socket, place)
    handshake?.end(countCertificateBytes(socket))
    // TLS knows none of them: it runs on the guarded connection.
    Object.defineProperty(socket, 'remoteAddress', { value: remote.address })
    Object.defineProperty(socket, 'remotePort', { value: remote.port })
    Object.defineProperty(socket, 'localAddress', { value: local.address })
    Object.defineProperty(socket, 'localPort', { value: local.port })
  })
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const place = placeOf.get(socket)
    if (!place) return
    places.begin(place)
    response.once('close', () => places.end(place))
    // A response ends only after its last bytes are sent: a client that has read all can have one more without an end.
    if (place.requests > 1 + MAX_PIPELINED) endParsing(socket)
  })
}

/**
 * Closes a connection, and makes its parser stop after this request. Otherwise it goes on with all bytes that have arrived, also when the connection is
 * destroyed: hundreds of requests fit into one record of TLS. Node has no public way to stop there.
 */
function endParsing(socket: Socket): void {
  const { parser } = socket as Socket & { readonly parser?: { onIncoming(): number } }
  if (parser) parser.onIncoming = () => END_OF_HTTP
  socket.destroy()
}

/** The bytes that a handshake without an end is charged: those in which OpenSSL can have checked certificates. */
function costOfFailure({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead > FREE_FAILURE_BYTES && bytesWritten > SENT_BEFORE_CERTIFICATES ? bytesRead : 0
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
