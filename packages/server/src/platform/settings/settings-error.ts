/** All errors in the settings, one line each, with the source of the value and without secrets. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly errors: readonly string[]

  constructor(errors: readonly string[]) {
    super(errors.join('\n'))
    this.errors = errors
  }
}
