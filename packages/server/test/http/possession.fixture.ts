/** Shared by the tests of possession: a client with a key, which sends proofs with its requests. */
import { mintKey, mintProof, type ProofParts, thumbprintOfKey } from '@countersign/testkit'
import type { CallOptions, Reply, TestApp } from './build-app.ts'

export const HOST = '127.0.0.1:1280'
export const CLIENT_KEY = mintKey('P-256', 'client')
export const OTHER_KEY = mintKey('P-256', 'thief')
export const BOUND = { cnf: { jkt: thumbprintOfKey(CLIENT_KEY) } }
export const LOGIN = '/edge/client/v1/authenticate?method=ext-jwt'
export const OWN = '/edge/client/v1/current-identity'

export interface DpopCall extends CallOptions {
  readonly body?: unknown
  /** The token in `Authorization`, or that of the session, for which the proof is. */
  readonly token?: string
  /** Sent as it is. By default a proof for the request; null for none. */
  readonly proof?: string | null
  readonly parts?: Partial<ProofParts>
  readonly scheme?: string
}

/** A client that makes a proof for each request. It begins with a nonce of the controller. */
export class DpopClient {
  readonly app: TestApp
  nonce: string | undefined

  constructor(app: TestApp) {
    this.app = app
  }

  /** Gets a nonce as clients do: from the refusal of a request with a proof. */
  async start(): Promise<this> {
    const { headers } = await this.app.call('GET', OWN, undefined, { headers: { dpop: 'x' } })
    this.nonce = headers['dpop-nonce']
    return this
  }

  proofFor(method: string, path: string, token: string | undefined, parts: Partial<ProofParts> = {}): string {
    const now = Math.floor(this.app.clock.now() / 1000)
    const url = `https://${HOST}${path}`
    return mintProof({ key: CLIENT_KEY, method, url, token, nonce: this.nonce, now, ...parts })
  }

  call(method: string, path: string, options: DpopCall): Promise<Reply> {
    const { body, token, session, parts, scheme = 'DPoP', headers, ...rest } = options
    const proof = options.proof === undefined ? this.proofFor(method, path, token ?? session, parts) : options.proof
    return this.app.call(method, path, body, {
      ...rest,
      ...(session !== undefined && { session }),
      headers: {
        host: HOST,
        ...(token !== undefined && { authorization: `${scheme} ${token}` }),
        ...(proof !== null && { dpop: proof }),
        ...headers,
      },
    })
  }

  logIn(token: string, options: Omit<DpopCall, 'token'> = {}): Promise<Reply> {
    return this.call('POST', LOGIN, { token, ...options })
  }
}

/** The scheme and the error of a challenge. */
export function challengeOf({ headers }: Reply): string {
  const { 'www-authenticate': challenge = '' } = headers
  return `${challenge.split(' ')[0]} ${/error="([^"]+)"/.exec(challenge)?.[1]}`
}
