import type { Socket } from 'node:net'
import type { Settings } from '../platform/settings/index.ts'
import { addressRules, createAddressPolicy } from './address-policy.ts'
import type { Deadline } from './deadline.ts'
import { type DialTarget, dialTcp, secure } from './dial.ts'
import { HandshakeCosts } from './handshake-costs.ts'
import { comparableHost } from './host-patterns.ts'
import { createHostResolver, type Lookup } from './resolve-host.ts'
import { createTrustedRoots } from './trusted-roots.ts'

export interface ConnectParts {
  readonly settings: Pick<Settings, 'jwks' | 'dev'>
  readonly lookup?: Lookup | undefined
  /** For DNS and the TCP connection, before TLS. */
  readonly connectMs: number
  /** Milliseconds since an arbitrary start. */
  readonly elapsedMs?: (() => number) | undefined
}

export interface ConnectOptions {
  /** An additional trusted CA, PEM. */
  readonly caPem?: string | undefined
  /** In whose name the connection is opened. One owner looks up one name at a time. */
  readonly owner?: string | undefined
}

/** Opens a connection to the host of a checked URL, over TLS for https. Rejects with `OutboundError`. */
export type Connect = (url: URL, options: ConnectOptions, deadline: Deadline) => Promise<Socket>

/** Every outbound connection is opened here: to addresses that the policy allows, and no others. */
export function createConnect({
  settings,
  lookup,
  connectMs,
  elapsedMs = () => performance.now(),
}: ConnectParts): Connect {
  const addressPolicy = createAddressPolicy(addressRules(settings))
  const resolveHost = createHostResolver(lookup)
  const trustedRoots = createTrustedRoots()
  const costs = new HandshakeCosts(elapsedMs)

  return async (url, { caPem, owner }, deadline) => {
    const host = comparableHost(url.hostname.replace(/^\[|\]$/g, ''))
    const isSecure = url.protocol === 'https:'
    if (isSecure) costs.check({ owner, host })
    const stopWaiting = deadline.limit(connectMs, `no connection to ${host}`)
    const port = Number(url.port || (isSecure ? 443 : 80))
    const addresses = await deadline.race(resolveHost(host, { signal: deadline.signal, owner }))
    const target: DialTarget = { host, port, addresses }
    const socket = await dialTcp(target, addressPolicy, deadline.signal)
    stopWaiting()
    if (!isSecure) return socket
    const onEnd = (failure?: Error) => costs.note({ owner, host }, socket.bytesRead, failure)
    return secure(socket, target, { secureContext: trustedRoots(caPem), signal: deadline.signal, onEnd })
  }
}
