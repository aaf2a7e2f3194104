/** Prefixes of the codes of connection failures, and the code of a read-only database. */
const CODE_PREFIXES = [
  '08',
  '53',
  '57P',
  '25006',
  'ECONN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOST',
  'ENET',
  'EAI_AGAIN',
  'ENOTFOUND',
]

/** Messages of the driver's own errors, which have no code. */
const MESSAGES = [
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Connection terminated',
  'is not queryable',
]

export const STATEMENT_TIMEOUT = '57014'
/** A prepared statement fails when a newer release has changed its table; a new connection prepares it again. */
export const STATEMENT_CHANGED = '0A000'
export const READ_ONLY = '25006'

/** Whether another try would have to wait for the database again. */
export function isUnavailable(error: unknown): boolean {
  return isConnectionError(error) || (error as { code?: unknown } | null | undefined)?.code === STATEMENT_TIMEOUT
}

/** Whether the database is unreachable, dropped the connection or is read-only. */
export function isConnectionError(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  // The message of an error with a code may contain what a client has sent.
  if (code !== undefined) return CODE_PREFIXES.some((prefix) => String(code).startsWith(prefix))
  return error instanceof Error && MESSAGES.some((text) => error.message.includes(text))
}
