import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { checkServerIdentity, connect as connectTls, type PeerCertificate, type SecureContext } from 'node:tls'
import type { AddressPolicy } from './address-policy.ts'
import { OutboundError } from './outbound-error.ts'
import type { ResolvedAddress } from './resolve-host.ts'

export interface DialTarget {
  /** Without brackets and without a last dot. */
  readonly host: string
  readonly port: number
  /** What the host resolved to, once; nothing else is dialled. */
  readonly addresses: readonly ResolvedAddress[]
}

/**
 * Connects to one of the addresses, after all of them have passed the policy. The address at the other end of the connection is judged
 * again before a byte is sent.
 * @throws {OutboundError} `address-refused` with nothing dialled, or `unreachable`
 */
export async function dialTcp(target: DialTarget, policy: AddressPolicy, signal: AbortSignal): Promise<Socket> {
  const { host, port, addresses } = target
  for (const { address } of addresses) checkAddress(host, address, policy)
  signal.throwIfAborted()
  const socket = connectTcp({
    host,
    port,
    autoSelectFamily: true,
    lookup: (_host, options, answer) => {
      const [first] = addresses
      if (options.all || !first) answer(null, [...addresses])
      else answer(null, first.address, first.family)
    },
  })
  const stop = (): void => void socket.destroy()
  signal.addEventListener('abort', stop, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', stop))
  // What happens to the connection later is for whoever reads from it; unheard it must not end the process.
  socket.on('error', () => {})
  try {
    await once(socket, 'connect', { signal })
    checkAddress(host, socket.remoteAddress ?? '', policy)
    return socket
  } catch (error) {
    socket.destroy()
    signal.throwIfAborted()
    if (error instanceof OutboundError) throw error
    throw new OutboundError('unreachable', unreachable(target), { cause: error })
  }
}

/**
 * TLS on a connection, the certificate verified against the context and the host name; there is no way around that.
 * @throws {OutboundError} `tls`, or `unreachable` when what listens there does not speak TLS
 */
export async function secure(
  socket: Socket,
  target: DialTarget,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<Socket> {
  const { host } = target
  const name = isIP(host) === 0 ? { servername: host } : {}
  const secured = connectTls({
    socket,
    host,
    ...name,
    secureContext,
    rejectUnauthorized: true,
    checkServerIdentity: checkIdentity,
    ALPNProtocols: ['http/1.1'],
  })
  secured.on('error', () => {})
  try {
    await once(secured, 'secureConnect', { signal })
    return secured
  } catch (error) {
    socket.destroy()
    signal.throwIfAborted()
    const { code = '' } = error as { code?: string }
    if (code.startsWith('ECONN') || code === 'EPIPE' || SPEAKS_NO_TLS.has(code)) {
      throw new OutboundError('unreachable', unreachable(target), { cause: error })
    }
    throw new OutboundError('tls', `TLS with ${host} failed: ${tlsProblem(code)}`, { cause: error })
  }
}

/** A name in the subject is no proof: a CA need not have looked at it (RFC 9525 section 2). */
function checkIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const hasNames = certificate.subjectaltname?.includes(isIP(host) === 0 ? 'DNS:' : 'IP Address:')
  if (hasNames) return checkServerIdentity(host, certificate)
  return Object.assign(new Error('the certificate holds no such name'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
}

const SPEAKS_NO_TLS = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_HTTP_REQUEST',
])

const TLS_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed and not trusted; give its CA as jwksCaPem',
  SELF_SIGNED_CERT_IN_CHAIN: 'its CA is not trusted; give it as jwksCaPem',
  UNABLE_TO_GET_ISSUER_CERT: 'its CA is not trusted; give it as jwksCaPem',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its CA is not trusted, or an intermediate is not sent; give the CA as jwksCaPem',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its CA is not trusted, or an intermediate is not sent; give the CA as jwksCaPem',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}

function tlsProblem(code: string): string {
  return Object.hasOwn(TLS_PROBLEMS, code) ? (TLS_PROBLEMS[code] ?? '') : `no agreement (${code || 'unknown'})`
}

function checkAddress(host: string, address: string, policy: AddressPolicy): void {
  const problem = policy(address)
  if (problem === undefined) return
  throw new OutboundError(
    'address-refused',
    host === address ? problem : `${host} stands for an address that is not fetched from: ${problem}`,
  )
}

function unreachable({ host, port }: DialTarget): string {
  return `${host} port ${port} could not be reached`
}
