import { CountersignError } from '../countersign-error.ts'

/** What to check, by the error code of Node or OpenSSL. */
const HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: check that the server is running, and the port',
  ENOTFOUND: 'the host name is unknown: check its spelling',
  EAI_AGAIN: 'host names cannot be resolved at the moment: check DNS',
  ECONNRESET: 'the connection was reset: check whether the address is https',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'trust the controller’s CA, for example with NODE_EXTRA_CA_CERTS=ca.pem',
  SELF_SIGNED_CERT_IN_CHAIN: 'trust the controller’s CA, for example with NODE_EXTRA_CA_CERTS=ca.pem',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'trust the controller’s CA, for example with NODE_EXTRA_CA_CERTS=ca.pem',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'trust the controller’s CA, for example with NODE_EXTRA_CA_CERTS=ca.pem',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name: use an address that it names',
  CERT_HAS_EXPIRED: 'the server’s certificate has expired, or this machine’s clock is wrong',
  CERT_NOT_YET_VALID: 'this machine’s clock is behind the server’s',
}

/** The NETWORK error for a failed `fetch`, with the error code from its chain of causes. */
export function explainFetchError(origin: string, cause: unknown): CountersignError {
  const code = findCode(cause)
  return new CountersignError({
    code: 'NETWORK',
    message: `no response from ${origin}${code ? ` (${code})` : ''}`,
    hint: code === undefined ? findHint(cause) : HINTS[code],
    cause,
  })
}

/** Deno's errors have no code, only a message. */
function findHint(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined
  if (error.message.includes('UnknownIssuer')) return 'trust the controller’s CA, with DENO_CERT=ca.pem'
  return findHint(error.cause, depth + 1)
}

function findCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined
  const { code } = error as { code?: unknown }
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return findCode(inner, depth + 1) ?? (typeof code === 'string' ? code : undefined)
}
