/**
 * Why a login at a provider failed, for the console to show. `expired`: took too long, or another browser began it. `denied`: the provider
 * returned `access_denied`. `provider`: the provider cannot be used. `signer`: the signer does not exist, is not trusted, or is not configured for logins.
 * `refused`: the token was refused; the decision is stored under the request id.
 */
export type ConsoleLoginErrorReason = 'expired' | 'denied' | 'provider' | 'signer' | 'refused'

/** A console login that failed. The message is only logged. */
export class ConsoleLoginError extends Error {
  override readonly name = 'ConsoleLoginError'
  readonly reason: ConsoleLoginErrorReason

  constructor(reason: ConsoleLoginErrorReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
