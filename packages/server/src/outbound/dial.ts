import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { checkServerIdentity, connect as connectTls, type PeerCertificate, type SecureContext } from 'node:tls'
import { GuardedSocket } from '../platform/tls/guarded-socket.ts'
import { HandshakeGuard } from '../platform/tls/handshake-guard.ts'
import type { AddressPolicy } from './address-policy.ts'
import { OutboundError } from './outbound-error.ts'
import type { ResolvedAddress } from './resolve-host.ts'

export interface DialTarget {
  /** Without brackets and without a trailing dot. */
  readonly host: string
  readonly port: number
  /** What the host resolved to. No other address is dialled. */
  readonly addresses: readonly ResolvedAddress[]
}

/**
 * Connects to one of the addresses after all of them have passed the policy. The remote address of the connection is checked again before
 * a byte is sent.
 * @throws {OutboundError} `address-refused` before dialling, or `unreachable`
 */
export async function dialTcp(target: DialTarget, policy: AddressPolicy, signal: AbortSignal): Promise<Socket> {
  const { host, port, addresses } = target
  for (const { address } of addresses) checkAddress(target, address, policy)
  signal.throwIfAborted()
  const socket = connectTcp({
    host,
    port,
    autoSelectFamily: true,
    lookup: (_host, options, callback) => {
      const [first] = addresses
      if (options.all || !first) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    },
  })
  const stop = (): void => void socket.destroy()
  signal.addEventListener('abort', stop, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', stop))
  // Later errors reach the reader of the connection. An unhandled one must not end the process.
  socket.on('error', () => {})
  try {
    await once(socket, 'connect', { signal })
    checkAddress(target, socket.remoteAddress ?? '', policy)
    return socket
  } catch (error) {
    socket.destroy()
    signal.throwIfAborted()
    if (error instanceof OutboundError) throw error
    throw new OutboundError('unreachable', unreachable(target), { cause: error })
  }
}

export interface SecureOptions {
  readonly secureContext: SecureContext
  readonly signal: AbortSignal
  /** Called at the end of the handshake. What it throws is the result. */
  readonly onEnd: (failure?: Error) => void
}

/**
 * Starts TLS on a connection. The certificate is always verified against the context and the host name.
 * @throws {OutboundError} `tls`, or `unreachable` when the server does not speak TLS
 */
export async function secure(
  socket: Socket,
  target: DialTarget,
  { secureContext, signal, onEnd }: SecureOptions,
): Promise<Socket> {
  const { host } = target
  const name = isIP(host) === 0 ? { servername: host } : {}
  const guarded = new GuardedSocket(socket, new HandshakeGuard('server'))
  const secured = connectTls({
    socket: guarded,
    host,
    ...name,
    secureContext,
    rejectUnauthorized: true,
    checkServerIdentity: checkIdentity,
    ALPNProtocols: ['http/1.1'],
  })
  secured.on('error', () => {})
  secured.on('keylog', (line) => guarded.noteSecret(line))
  secured.on('secure', () => guarded.noteEnd())
  try {
    await once(secured, 'secureConnect', { signal })
  } catch (error) {
    socket.destroy()
    const failure = signal.aborted ? signal.reason : handshakeError(target, error)
    onEnd(failure)
    throw failure
  }
  try {
    onEnd()
    return secured
  } catch (error) {
    socket.destroy()
    throw error
  }
}

function handshakeError(target: DialTarget, error: unknown): OutboundError {
  const { code = '' } = error as { code?: string }
  if (code.startsWith('ECONN') || code === 'EPIPE' || NOT_TLS_CODES.has(code)) {
    return new OutboundError('unreachable', unreachable(target), { cause: error })
  }
  return new OutboundError('tls', `TLS with ${target.host} failed: ${tlsErrorText(code)}`, { cause: error })
}

/** The subject's common name is ignored: a CA need not have verified it (RFC 9525 section 2). */
function checkIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const hasNames = certificate.subjectaltname?.includes(isIP(host) === 0 ? 'DNS:' : 'IP Address:')
  if (hasNames) return checkServerIdentity(host, certificate)
  return Object.assign(new Error('the certificate has no subject alternative name of this type'), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
}

const NOT_TLS_CODES = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_HTTP_REQUEST',
])

const TLS_ERROR_TEXTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed and not trusted: set jwksCaPem to it',
  SELF_SIGNED_CERT_IN_CHAIN: 'its CA is not trusted: set jwksCaPem to it',
  UNABLE_TO_GET_ISSUER_CERT: 'its CA is not trusted: set jwksCaPem to it',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its CA is not trusted, or it sends no intermediate: set jwksCaPem to the CA',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its CA is not trusted, or it sends no intermediate: set jwksCaPem to the CA',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_REFUSED_CERTIFICATES: 'it sends too many certificates, or one with a key that is not used in TLS',
}

function tlsErrorText(code: string): string {
  return Object.hasOwn(TLS_ERROR_TEXTS, code)
    ? (TLS_ERROR_TEXTS[code] ?? '')
    : `the handshake failed (${code || 'unknown'})`
}

function checkAddress(target: DialTarget, address: string, policy: AddressPolicy): void {
  const { host } = target
  const refusal = policy(address)
  if (refusal === undefined) return
  const message = host === address ? refusal : `${host} resolves to a refused address: ${refusal}`
  // The text of a closed port: names of the internal network must not reveal their addresses.
  throw new OutboundError('address-refused', message, { tenantMessage: unreachable(target) })
}

function unreachable({ host, port }: DialTarget): string {
  return `${host} port ${port} could not be reached`
}
