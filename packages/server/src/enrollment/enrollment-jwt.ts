import { createLruCache } from '@countersign/core'
import type { ServerIdentity } from '../platform/keys/server-identity.ts'
import type { SignControllerJwt } from '../platform/keys/sign-controller-jwt.ts'
import type { EnrollmentRow } from '../store/schema.ts'

/** Enough for a page of a list. Signing with an RSA key takes a millisecond. */
const MAX_REMEMBERED = 1_000

interface EnrollmentJwtParts {
  /** host:port pairs at which clients reach this controller, the preferred one first. */
  readonly addresses: () => readonly string[]
  readonly serverIdentity: () => ServerIdentity
  readonly signControllerJwt: SignControllerJwt
}

/** Returns the JWT of an enrollment with its token. */
export type EnrollmentJwt = (row: EnrollmentRow, token: string) => string

/**
 * Builds the JWT that administrators hand out for an enrollment: addresses, one-time token and expiry. It is signed with the current server
 * certificate, because clients verify it with the certificate of the connection.
 */
export function createEnrollmentJwt({
  addresses,
  serverIdentity,
  signControllerJwt,
}: EnrollmentJwtParts): EnrollmentJwt {
  const signed = createLruCache<string, string>(MAX_REMEMBERED)
  return (row, token) => {
    const reachable = addresses()
    const key = [row.id, row.token_digest, row.expires_at, serverIdentity().fingerprint, ...reachable].join(' ')
    const known = signed.get(key)
    if (known !== undefined) return known
    const jwt = signControllerJwt({
      iss: `https://${reachable[0]}`,
      sub: row.identity_id,
      aud: [''],
      exp: Math.floor(row.expires_at / 1000),
      jti: token,
      em: row.method,
      ctrls: reachable.map((address) => `tls:${address}`),
    })
    signed.set(key, jwt)
    return jwt
  }
}
