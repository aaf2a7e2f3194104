import { CliError, EXIT } from '../cli-error.ts'

/** What the codes of Node and OpenSSL mean to a person, and what he can do. */
const REASONS: { readonly [code: string]: readonly [what: string, hint: string] } = {
  ECONNREFUSED: ['nothing listens there', 'is the controller running, and is the port right?'],
  ENOTFOUND: ['the name is not known', 'is it spelled right?'],
  EAI_AGAIN: ['the name cannot be looked up', 'is this machine online?'],
  ETIMEDOUT: ['no answer in time', 'is there a firewall in between?'],
  EHOSTUNREACH: ['there is no way to it', 'is this machine in the right network?'],
  ENETUNREACH: ['there is no way to it', 'is this machine online?'],
  ECONNRESET: ['the connection was cut', 'is it an https address?'],
  EPROTO: ['it does not speak TLS', 'is it an https address?'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['it does not speak TLS', 'is it an https address?'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['it does not speak TLS', 'is it an https address?'],
  CERT_HAS_EXPIRED: ['its certificate has ended', 'if it should not have, look at the clock of this machine'],
  CERT_NOT_YET_VALID: ['its certificate is not valid yet', 'look at the clock of this machine'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another name', 'use an address that the certificate names'],
}

const WRONG_CA = [
  'its certificate does not lead to the trusted CA',
  'if the controller is a new one, log in again; if not, somebody may be in between',
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

/** The error for no answer at all, in words. */
export function unreachable(origin: string, cause: unknown): CliError {
  const { what, hint } = explainNoAnswer(cause)
  return new CliError(`cannot reach ${origin}: ${what}`, { hint, exitCode: EXIT.unreachable, cause })
}

/** Why there was no answer, and what to do. */
export function explainNoAnswer(cause: unknown): { readonly what: string; readonly hint: string | undefined } {
  const code = findCode(cause) ?? ''
  const [what, hint] = WRONG_CA_CODES.includes(code) ? WRONG_CA : (REASONS[code] ?? [code || 'no answer in time'])
  return { what, hint }
}

/** The innermost code of an error and its causes. */
function findCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 5) return undefined
  const { code } = error as { code?: unknown }
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return findCode(inner, depth + 1) ?? (typeof code === 'string' ? code : undefined)
}
