import { CliError, EXIT } from '../cli-error.ts'

/** Description and hint by the error code of Node or OpenSSL. */
const REASONS: { readonly [code: string]: readonly [what: string, hint: string] } = {
  ECONNREFUSED: ['nothing listens there', 'check that the controller is running, and the port'],
  ENOTFOUND: ['the host name is unknown', 'check its spelling'],
  EAI_AGAIN: ['the host name cannot be resolved', 'check the network of this machine'],
  ETIMEDOUT: ['no response in time', 'check for a firewall in between'],
  EHOSTUNREACH: ['the host is unreachable', 'check the network of this machine'],
  ENETUNREACH: ['the network is unreachable', 'check the network of this machine'],
  ECONNRESET: ['the connection was reset', 'check whether the address is https'],
  EPROTO: ['it does not speak TLS', 'check whether the address is https'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['it does not speak TLS', 'check whether the address is https'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['it does not speak TLS', 'check whether the address is https'],
  CERT_HAS_EXPIRED: ['its certificate has expired', 'if it should still be valid, check the clock of this machine'],
  CERT_NOT_YET_VALID: ['its certificate is not valid yet', 'check the clock of this machine'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another name', 'use an address that the certificate names'],
}

const WRONG_CA = [
  'its certificate does not chain to the trusted CA',
  'if the controller is a new one, log in again; if not, the connection may be intercepted',
] as const
const WRONG_CA_CODES = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'INVALID_CA',
]

/** The error for a controller that does not respond. */
export function unreachable(origin: string, cause: unknown): CliError {
  const { what, hint } = explainNoResponse(cause)
  return new CliError(`cannot reach ${origin}: ${what}`, { hint, exitCode: EXIT.unreachable, cause })
}

/** Why there was no response, and what to do. */
export function explainNoResponse(cause: unknown): { readonly what: string; readonly hint: string | undefined } {
  const code = findCode(cause) ?? ''
  const [what, hint] = WRONG_CA_CODES.includes(code) ? WRONG_CA : (REASONS[code] ?? [code || 'no response in time'])
  return { what, hint }
}

/** The innermost code in the chain of causes. */
function findCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 5) return undefined
  const { code } = error as { code?: unknown }
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return findCode(inner, depth + 1) ?? (typeof code === 'string' ? code : undefined)
}
