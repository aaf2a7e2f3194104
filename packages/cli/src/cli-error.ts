/** Exit statuses, documented in docs/cli.md. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notLoggedIn: 3,
  refused: 4,
  notFound: 5,
  conflict: 6,
  unreachable: 7,
} as const

/** A failure with a text for the user: one `error:` line for each message, then the hint. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly messages: readonly string[]
  readonly hint: string | undefined
  readonly exitCode: number

  constructor(
    messages: string | readonly string[],
    options: { hint?: string | undefined; exitCode?: number; cause?: unknown },
  ) {
    const lines = typeof messages === 'string' ? [messages] : messages
    super(lines.join('\n'), { cause: options.cause })
    this.messages = lines
    this.hint = options.hint
    this.exitCode = options.exitCode ?? EXIT.failure
  }
}

/** A mistake in how the command was called. */
export function usageError(message: string, hint: string): CliError {
  return new CliError(message, { hint, exitCode: EXIT.usage })
}
