/**
 * Why a login at a provider failed, as the console shows it: it took too long or is another browser's (`expired`), the provider
 * said no (`denied`) or cannot be used (`provider`), or the signer is not there or not set up for it (`signer`). A token that was refused
 * is `refused`, and administrators find it under its request id.
 */
export type LoginProblemReason = 'expired' | 'denied' | 'provider' | 'signer' | 'refused'

/** A login that failed. The message is for the log. */
export class LoginProblem extends Error {
  override readonly name = 'LoginProblem'
  readonly reason: LoginProblemReason

  constructor(reason: LoginProblemReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
