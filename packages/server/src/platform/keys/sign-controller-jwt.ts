import type { ServerIdentity } from './server-identity.ts'
import { signJwt } from './sign-jwt.ts'

/** Puts the controller's name under claims: a compact JWT that verifies with the server certificate. */
export type SignControllerJwt = (claims: Readonly<Record<string, unknown>>) => string

/**
 * Signs with the key of the server certificate that is in use, since clients check such tokens with the certificate that
 * the TLS connection shows them; `kid` is its fingerprint. Throws a plain Error for a key of a kind that no JWT is signed
 * with.
 */
export function createSignControllerJwt(serverIdentity: () => ServerIdentity): SignControllerJwt {
  return (claims) => {
    const { key, fingerprint } = serverIdentity()
    return signJwt({ key, kid: fingerprint }, claims)
  }
}
