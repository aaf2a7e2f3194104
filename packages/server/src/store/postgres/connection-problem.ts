/** Whether the database could not be reached or went away: errors of class 08, 53 and 57P, or of the socket. */
export function isConnectionProblem(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null | undefined)?.code ?? '')
  const message = error instanceof Error ? error.message : ''
  return (
    code.startsWith('08') ||
    code.startsWith('57P') ||
    code.startsWith('53') ||
    code === '25006' ||
    code.startsWith('ECONN') ||
    code === 'EPIPE' ||
    message.includes('timeout exceeded when trying to connect') ||
    message.includes('Connection terminated')
  )
}
