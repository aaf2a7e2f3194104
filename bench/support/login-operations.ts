import { type BenchSigner, forgeToken } from './bench-signer.ts'
import { http } from './http.ts'
import { inTurn } from './in-turn.ts'
import type { Operation } from './measure.ts'
import { CLIENT } from './product.ts'

/** A sign-in by JWT, whole. */
export function signIn(token: string): string {
  return http('POST', `${CLIENT}/authenticate?method=ext-jwt`, { authorization: `Bearer ${token}` })
}

interface Logins {
  readonly operation: string
  /** Each is sent once. */
  readonly tokens: readonly string[]
  readonly expectStatus: number
}

/** The bare server verifies a good token, whatever becomes of these. */
export function loginOperation(
  signer: BenchSigner,
  goodToken: string,
  { operation, tokens, expectStatus }: Logins,
): Operation {
  const bare = { headers: signer.bareHeaders(goodToken) }
  return { operation, maxRequests: tokens.length, bare, request: inTurn(tokens.map(signIn)), expectStatus, aims: {} }
}

/** The same tokens as they are, and with signatures that nobody made. */
export function loginOperations(signer: BenchSigner, tokens: readonly string[]): Operation[] {
  const [good = ''] = tokens
  const forged = tokens.map(forgeToken)
  return [
    loginOperation(signer, good, { operation: 'login (ES256)', tokens, expectStatus: 200 }),
    loginOperation(signer, good, { operation: 'login refused (bad signature)', tokens: forged, expectStatus: 401 }),
  ]
}
