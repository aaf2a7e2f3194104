/** Classes of errors in which the database does not take the connection or gives it up, and one that takes no writes. */
const CODE_STARTS = [
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

/** The driver gives its own errors no code. */
const WORDS = [
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Connection terminated',
  'is not queryable',
]

/** Whether the database could not be reached, went away or takes no writes. */
export function isConnectionProblem(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null | undefined)?.code ?? '')
  const message = error instanceof Error ? error.message : ''
  return CODE_STARTS.some((start) => code.startsWith(start)) || WORDS.some((words) => message.includes(words))
}
