import { randomUUID } from 'node:crypto'
import type { ServerIdentity } from '../../platform/keys/server-identity.ts'
import type { SignControllerJwt } from '../../platform/keys/sign-controller-jwt.ts'

export interface NetworkJwtParts {
  /** host:port pairs under which clients reach this controller, the first one preferred. */
  readonly addresses: () => readonly string[]
  /** The server certificate that is in use. */
  readonly serverIdentity: () => Pick<ServerIdentity, 'fingerprint'>
  readonly signControllerJwt: SignControllerJwt
}

/** The audience of JWTs that tell clients where to enroll. */
export const ENROLLER_AUDIENCE = 'openziti-enroller'

/**
 * Returns a function that returns the JWT with the address of this network. The call is anonymous, so signing happens once for each
 * certificate and address.
 */
export function createNetworkJwt({ addresses, serverIdentity, signControllerJwt }: NetworkJwtParts): () => string {
  const jti = randomUUID()
  let cached: { readonly key: string; readonly token: string } | undefined
  return () => {
    const url = `https://${addresses()[0]}/`
    const key = `${serverIdentity().fingerprint} ${url}`
    if (cached?.key !== key) {
      const claims = { iss: url, sub: url, aud: [ENROLLER_AUDIENCE], em: 'network', jti, ctrls: null }
      cached = { key, token: signControllerJwt(claims) }
    }
    return cached.token
  }
}
