import { CountersignError } from '../countersign-error.ts'

/** What the codes of Node, OpenSSL and the like mean to somebody who waits for an answer. */
const HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: is the server running, and is the port right?',
  ENOTFOUND: 'the name is not known: is it spelled right?',
  EAI_AGAIN: 'names cannot be looked up at the moment',
  ECONNRESET: 'the connection was cut: is it an https address?',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'trust the controller’s CA, for example with NODE_EXTRA_CA_CERTS=ca.pem',
  SELF_SIGNED_CERT_IN_CHAIN: 'trust the controller’s CA, for example with NODE_EXTRA_CA_CERTS=ca.pem',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'trust the controller’s CA, for example with NODE_EXTRA_CA_CERTS=ca.pem',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'trust the controller’s CA, for example with NODE_EXTRA_CA_CERTS=ca.pem',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name: use the address that it names',
  CERT_HAS_EXPIRED: 'the server’s certificate has ended, or this machine’s clock is wrong',
  CERT_NOT_YET_VALID: 'this machine’s clock is behind the server’s',
}

/** The error for no answer at all, with the reason that the runtime gives, however deep it lies. */
export function explainFetchError(origin: string, cause: unknown): CountersignError {
  const code = findCode(cause)
  return new CountersignError({
    code: 'NETWORK',
    message: `no answer from ${origin}${code ? ` (${code})` : ''}`,
    hint: code === undefined ? findHint(cause) : HINTS[code],
    cause,
  })
}

/** Deno has no codes: its words tell. */
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
