import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { makeTestCertificate, type RawResponse, rawRequest } from '@countersign/testkit'
import { type Logger, pino } from 'pino'
import { createHttpServer } from '../../src/http/pipeline/create-http-server.ts'
import type { Route } from '../../src/http/pipeline/route.ts'
import { UNLIMITED } from '../../src/limits/attempt-limiter.ts'
import { loadSettings } from '../../src/platform/settings/index.ts'
import { http } from './hostile-requests.ts'

export interface ServedRoutes {
  readonly port: number
  readonly logged: readonly string[]
  get(path: string): Promise<RawResponse>
}

export type Handlers = Readonly<Record<string, Route['handle']>>

/** Runs the pipeline around the test's own handlers on a real socket, for errors that no real handler causes. */
export async function serveRoutes(
  t: TestContext,
  handlers: Handlers,
  options: { handlerMs?: number; log?: Logger } = {},
): Promise<ServedRoutes> {
  const logged: string[] = []
  const { pem: cert, privateKey } = makeTestCertificate({ kind: 'ec256', commonName: 'localhost' })
  const routes = Object.entries(handlers).map(
    ([path, handle]): Route => ({
      method: 'GET',
      paths: [path],
      access: 'anonymous',
      rate: 'none',
      bodyCap: 'anonymous',
      body: null,
      note: null,
      handle,
    }),
  )
  const server = createHttpServer({
    routes,
    sessions: { peek: async () => undefined, noteUse: (session) => session, noteSecondToken: () => {} },
    proofs: { of: () => assert.fail(), nonce: () => '' },
    bearerSessions: undefined,
    secondFactor: { check: async () => ({ missing: [], signer: null }) },
    hostedCallers: { find: () => assert.fail() },
    scimCallers: { find: () => assert.fail() },
    noteSessionUse: () => {},
    heldTokens: { of: () => [] },
    limits: {
      handshake: undefined,
      address: UNLIMITED,
      query: UNLIMITED,
      change: UNLIMITED,
      ownChange: UNLIMITED,
      ownChangeTurns: { run: (_, work) => work() },
      delayRefusal: () => undefined,
    },
    settings: loadSettings({ flags: {}, env: {} }).settings,
    tls: { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) },
    log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
    ...options,
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => server.close())
  const { port } = server.server.address() as { port: number }
  return { port, logged, get: (path) => rawRequest(port, http(`GET ${path}`)) }
}
