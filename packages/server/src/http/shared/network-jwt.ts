import { randomUUID } from 'node:crypto'
import type { ControllerContext } from '../controller-context.ts'

const AUDIENCE = 'openziti-enroller'

/**
 * The JWT that tells a client where this network is. It is asked for without a session, so it is signed once for each
 * certificate and address.
 */
export function createNetworkJwt({
  addresses,
  serverIdentity,
  signControllerJwt,
}: Pick<ControllerContext, 'addresses' | 'serverIdentity' | 'signControllerJwt'>): () => string {
  const jti = randomUUID()
  let made: { readonly of: string; readonly token: string } | undefined
  return () => {
    const url = `https://${addresses()[0]}/`
    const of = `${serverIdentity().fingerprint} ${url}`
    if (made?.of !== of) {
      const claims = { iss: url, sub: url, aud: [AUDIENCE], em: 'network', jti, ctrls: null }
      made = { of, token: signControllerJwt(claims) }
    }
    return made.token
  }
}
