import type { ServerOptions } from 'node:https'
import { PASSWORD_COST, type PasswordCost, VerifiedTokenCache } from '@countersign/core'
import type { Logger } from 'pino'
import { createLiveSessions } from './api-session/live-sessions.ts'
import { createPasswordLogin } from './api-session/password-login.ts'
import type { SessionOptions } from './api-session/start-session.ts'
import type { Clock } from './clock.ts'
import type { Settings } from './config/index.ts'
import type { ControllerContext } from './controller-context.ts'
import { createHttpServer, type HttpServer } from './http/pipeline/create-http-server.ts'
import { buildRoutes } from './http/routes.ts'
import { createFetchDocument } from './outbound/fetch-document.ts'
import { createJwksEndpointPolicy } from './outbound/jwks-endpoint-policy.ts'
import { createFetchJwks, type FetchJwks } from './outbound/jwks-fetch.ts'
import { createExtJwtSignIn } from './sign-in/ext-jwt-sign-in.ts'
import { createTokenJudge } from './sign-in/judge-token.ts'
import { createSignerDirectory } from './sign-in/signer-directory.ts'
import { createSignerKeys } from './signer-keys/signer-keys.ts'
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
  /** How keys are fetched; over the network unless given. */
  readonly fetchJwks?: FetchJwks
}

export interface Controller {
  readonly http: HttpServer
  /** Finishes what is under way and lets go of everything but the store, which is the caller's. */
  close(): Promise<void>
}

/** Wires one controller from its parts. Nothing here knows the process: there can be several. */
export function createController(parts: ControllerParts): Controller {
  const { store, clock, settings, log } = parts
  const session: SessionOptions = {
    store,
    clock,
    idleMs: settings.session.idleSeconds * 1000,
    maxMs: settings.session.maxSeconds * 1000,
    maxPerIdentity: settings.session.maxPerIdentity,
  }
  const sessions = createLiveSessions(session)
  const signers = createSignerDirectory(store, log)
  const fetchJwks = parts.fetchJwks ?? createFetchJwks(createFetchDocument({ settings }))
  const signerKeys = createSignerKeys({ store, fetchJwks, clock, settings, log })
  const cache = new VerifiedTokenCache()
  const { judge } = createTokenJudge({ directory: signers, keys: signerKeys, cache, clock })
  const context: ControllerContext = {
    ...parts,
    sessions,
    signers,
    signerKeys,
    logInWithPassword: createPasswordLogin({ ...session, passwordCost: parts.passwordCost ?? PASSWORD_COST }),
    signInWithJwt: createExtJwtSignIn({ ...session, judge }),
    jwksPolicy: createJwksEndpointPolicy(settings),
  }
  const http = createHttpServer({ routes: buildRoutes(context), sessions, settings, tls: parts.tls, log })
  const upkeep = startUpkeep({ store, clock, log })
  return {
    http,
    close: async () => {
      await http.close()
      await upkeep.stop()
      await signerKeys.stop()
    },
  }
}
