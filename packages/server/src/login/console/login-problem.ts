/**
 * Why a sign-in at a provider came to nothing, as the console is told: it took too long or is another browser's (`expired`), the provider
 * said no (`denied`) or cannot be used (`provider`), or the signer is not there or not set up for it (`signer`). A token that was refused
 * is `refused`, and administrators find it under its request id.
 */
export type LoginProblemReason = 'expired' | 'denied' | 'provider' | 'signer' | 'refused'

/** A sign-in that came to nothing. The message is for the log. */
export class LoginProblem extends Error {
  override readonly name = 'LoginProblem'
  readonly reason: LoginProblemReason

  constructor(reason: LoginProblemReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
