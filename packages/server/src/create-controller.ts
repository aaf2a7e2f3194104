import type { ServerOptions } from 'node:https'
import { PASSWORD_COST, type PasswordCost } from '@countersign/core'
import type { Logger } from 'pino'
import { createLiveSessions } from './api-session/live-sessions.ts'
import { createPasswordLogin } from './api-session/password-login.ts'
import type { Clock } from './clock.ts'
import type { Settings } from './config/index.ts'
import type { ControllerContext } from './controller-context.ts'
import { createHttpServer, type HttpServer } from './http/pipeline/create-http-server.ts'
import { buildRoutes } from './http/routes.ts'
import { createJwksEndpointPolicy } from './outbound/jwks-endpoint-policy.ts'
import type { Store } from './store/store.ts'
import { startUpkeep } from './upkeep.ts'

export interface ControllerParts {
  readonly store: Store
  readonly clock: Clock
  readonly settings: Settings
  readonly log: Logger
  readonly tls: ServerOptions
  readonly addresses: () => readonly string[]
  readonly caCertificates: () => Buffer
  readonly passwordCost?: PasswordCost
}

export interface Controller {
  readonly http: HttpServer
  /** Finishes what is under way and lets go of everything but the store, which is the caller's. */
  close(): Promise<void>
}

/** Wires one controller from its parts. Nothing here knows the process: there can be several. */
export function createController(parts: ControllerParts): Controller {
  const { store, clock, settings, log } = parts
  const { idleSeconds, maxSeconds, maxPerIdentity } = settings.session
  const idleMs = idleSeconds * 1000
  const sessions = createLiveSessions({ store, clock, idleMs })
  const context: ControllerContext = {
    ...parts,
    sessions,
    logInWithPassword: createPasswordLogin({
      store,
      clock,
      idleMs,
      maxMs: maxSeconds * 1000,
      maxPerIdentity,
      passwordCost: parts.passwordCost ?? PASSWORD_COST,
    }),
    jwksPolicy: createJwksEndpointPolicy(settings),
  }
  const http = createHttpServer({ routes: buildRoutes(context), sessions, settings, tls: parts.tls, log })
  const upkeep = startUpkeep({ store, clock, log })
  return {
    http,
    close: async () => {
      await http.close()
      await upkeep.stop()
    },
  }
}
