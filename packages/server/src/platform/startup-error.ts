/** Why the controller cannot start, in one sentence for the operator, with what to do about it where there is something to do. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
  readonly hint: string | undefined

  constructor(message: string, hint?: string, options?: { cause?: unknown }) {
    super(message, options)
    this.hint = hint
  }
}
