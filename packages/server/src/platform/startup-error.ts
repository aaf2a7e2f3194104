/** Why the controller cannot start: one sentence for the operator, and a hint on how to fix it where there is one. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
  readonly hint: string | undefined

  constructor(message: string, hint?: string, options?: { cause?: unknown }) {
    super(message, options)
    this.hint = hint
  }
}
