import type { Server } from 'node:http'
import { type AddressInfo, BlockList, isIPv6 } from 'node:net'
import { StartupError } from '../platform/startup-error.ts'

const HOST_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]']
const WEB: readonly string[] = ['http:', 'https:']
const ANY_PORT = 0

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether an http or https URL has a loopback host. */
export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return WEB.includes(protocol) && HOST_NAMES.includes(hostname)
}

/** Whether the Host header names this listener. Prevents DNS rebinding. */
export function isOwnHost(header: string | undefined, port: number): boolean {
  return HOST_NAMES.some((name) => header?.toLowerCase() === `${name}:${port}`)
}

/** Listens on the first free port of `ports`. Throws StartupError when none is free, or when `host` is not a loopback address. */
export async function listenOnLoopback(server: Server, host: string, ports: readonly number[]): Promise<number> {
  if (!loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')) {
    throw new StartupError(`the local identity provider does not listen on ${host}`, 'use a loopback address')
  }
  for (const [index, port] of ports.entries()) {
    try {
      return await listen(server, host, port)
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken) throw error
      if (index < ports.length - 1) continue
      throw new StartupError(
        `cannot listen on ${host} port ${port} for the local identity provider: the port is taken`,
        'stop the program that uses it: tokens and provider records contain this port, so it cannot change',
        { cause: error },
      )
    }
  }
  throw new TypeError('no port to listen on')
}

/** Returns the ports to try: the port of the last start, else the wanted one, else the default or any free one. */
export function portsToTry(wanted: number, known: number, defaultPort: number): readonly number[] {
  if (known === 0) return wanted === ANY_PORT ? [defaultPort, ANY_PORT] : [wanted]
  if (wanted === ANY_PORT || wanted === known) return [known]
  throw new StartupError(
    `the local identity provider of this data directory uses port ${known}, not ${wanted}`,
    'remove the setting identityProvider.port, since tokens and provider records contain the port, or choose another --data-dir',
  )
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}
