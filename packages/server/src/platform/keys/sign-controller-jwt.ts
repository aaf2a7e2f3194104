import type { ServerIdentity } from './server-identity.ts'
import { signJwt } from './sign-jwt.ts'

/** Signs claims as the controller: a compact JWT that verifies with the server certificate. */
export type SignControllerJwt = (claims: Readonly<Record<string, unknown>>) => string

/**
 * Signs with the key of the current server certificate, because clients verify such tokens with the certificate of the TLS connection; `kid`
 * is its fingerprint. Throws a plain Error for a key type that no JWT algorithm supports.
 */
export function createSignControllerJwt(serverIdentity: () => ServerIdentity): SignControllerJwt {
  return (claims) => {
    const { key, fingerprint } = serverIdentity()
    return signJwt({ key, kid: fingerprint }, claims)
  }
}
