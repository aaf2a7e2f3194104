import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import type Provider from 'oidc-provider'
import type { Logger } from 'pino'
import type { RegisteredClient } from '../outbound/client-registration.ts'
import { createServer } from '../platform/node-http.ts'
import { isOwnHost, listenOnLoopback, portsToTry } from './loopback.ts'
import { createProviderAdapter } from './provider-adapter.ts'
import { buildProviderAddresses, type ProviderAddresses } from './provider-addresses.ts'
import { send } from './provider-http.ts'
import type { DeliverMessage } from './provider-messages.ts'
import { buildProviderRoutes } from './provider-routes.ts'
import type { SendScim } from './provider-scim.ts'
import { openProviderState, type ProviderStateFile } from './provider-state.ts'
import { registerMachine } from './register-machine.ts'

export interface LocalProvider {
  readonly addresses: ProviderAddresses
  readonly state: ProviderStateFile
  /** Sets the audiences of tokens from the hosted-platform endpoint: the base URLs of one API. */
  serveAudiences(audiences: readonly string[]): void
  /** Registers a client for client credentials without a request, which would load `oidc-provider`. */
  registerMachine(name: string): Promise<RegisteredClient>
  /** Sets how logout tokens and security events reach the controller. */
  deliverBy(deliver: DeliverMessage): void
  /** Sets how SCIM requests reach the controller. */
  provisionBy(send: SendScim): void
  close(): Promise<void>
}

export interface LocalProviderOptions {
  readonly stateFile: string
  /** 0 for the port of the last start, else `defaultPort`, else any free port. */
  readonly port: number
  readonly defaultPort: number
  readonly host?: string
  readonly log: Logger
}

const REQUEST_TIMEOUT_MS = 15_000

/**
 * Starts the identity provider for development: three kinds of provider on one loopback listener. Throws StartupError on failure, and for a
 * host that is not a loopback address.
 */
export async function startLocalProvider(options: LocalProviderOptions): Promise<LocalProvider> {
  const { log, host = '127.0.0.1' } = options
  const state = await openProviderState(options.stateFile)
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS })
  const known = state.current().port
  const port = await listenOnLoopback(server, host, portsToTry(options.port, known, options.defaultPort))
  if (port !== known) await state.update((now) => ({ ...now, port }))
  const addresses = buildProviderAddresses(`http://${isIPv6(host) ? `[${host}]` : host}:${port}`)

  const adapter = createProviderAdapter(state)
  // Loaded by the first request that needs it: it takes as long as the start of the controller, and 34 MiB.
  let loaded: Promise<Provider> | undefined
  let audiences: readonly string[] = []
  let deliver: DeliverMessage | undefined
  let sendScim: SendScim | undefined
  const provider = (): Promise<Provider> => {
    loaded ??= import('./load-oidc-provider.ts').then(({ loadOidcProvider }) =>
      loadOidcProvider({ issuer: addresses.base, state, adapter, log }),
    )
    return loaded
  }
  const routes = buildProviderRoutes({
    addresses,
    state,
    provider,
    audiences: () => audiences,
    deliver: () => deliver,
    sendScim: () => sendScim,
    // Created again with the new keys on next use.
    onRotated: () => {
      loaded = undefined
    },
  })

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isOwnHost(request.headers.host, port)) return send(response, { status: 421, json: { error: 'wrong_host' } })
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const route = routes.get(`${request.method} ${path}`)
    if (route) return send(response, await route(request))
    const oidc = await provider()
    if (path.startsWith('/interaction/')) {
      const { handleInteraction } = await import('./interaction.ts')
      return handleInteraction(oidc, request, response)
    }
    await oidc.callback()(request, response)
  }
  server.on('request', (request, response) => {
    handle(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'the local identity provider failed')
      if (response.headersSent) response.destroy()
      else send(response, { status: 500, json: { error: 'server_error' } })
    })
  })
  return {
    addresses,
    state,
    serveAudiences: (served) => {
      audiences = served
    },
    registerMachine: (name) => registerMachine({ adapter, registrationUrl: addresses.registrationUrl }, name),
    deliverBy: (by) => {
      deliver = by
    },
    provisionBy: (by) => {
      sendScim = by
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
