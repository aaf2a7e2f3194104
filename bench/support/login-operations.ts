import { type BenchSigner, forgeToken } from './bench-signer.ts'
import { buildRequest } from './build-request.ts'
import type { Operation } from './measure-operations.ts'
import { CLIENT } from './product.ts'
import { roundRobin } from './round-robin.ts'

/** Builds a login request with a JWT. */
export function jwtLoginRequest(token: string): string {
  return buildRequest('POST', `${CLIENT}/authenticate?method=ext-jwt`, { authorization: `Bearer ${token}` })
}

interface Logins {
  readonly operation: string
  /** Each token is sent once. */
  readonly tokens: readonly string[]
  readonly expectStatus: number
}

/** Returns an operation that logs in with each token. The bare server verifies `validToken` instead, also where these are refused. */
export function loginOperation(
  signer: BenchSigner,
  validToken: string,
  { operation, tokens, expectStatus }: Logins,
): Operation {
  const bare = { headers: signer.bareHeaders(validToken) }
  return {
    operation,
    maxRequests: tokens.length,
    bare,
    request: roundRobin(tokens.map(jwtLoginRequest)),
    expectStatus,
    targets: {},
  }
}

/** Returns an operation with these tokens, and one with the same tokens and invalid signatures. */
export function loginOperations(signer: BenchSigner, tokens: readonly string[]): Operation[] {
  const [validToken = ''] = tokens
  const forged = tokens.map(forgeToken)
  return [
    loginOperation(signer, validToken, { operation: 'login (ES256)', tokens, expectStatus: 200 }),
    loginOperation(signer, validToken, {
      operation: 'login refused (bad signature)',
      tokens: forged,
      expectStatus: 401,
    }),
  ]
}
