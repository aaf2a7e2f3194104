import type { CallOptions } from '../http/transport.ts'
import type { OneTimeCodes, RecoveryCodes } from '../wire-types.ts'
import type { ControllerApi } from './controller-api.ts'

const MFA = '/current-identity/mfa'
const CODE_HEADER = 'mfa-validation-code'

/** The caller's own one-time codes. */
export class OwnOneTimeCodes {
  readonly #api: ControllerApi

  constructor(api: ControllerApi) {
    this.#api = api
  }

  /** Starts the setup. Returns the secret (`provisioningUrl`) and the recovery codes. */
  async setUp(options: CallOptions = {}): Promise<OneTimeCodes> {
    await this.#api.call('client', { method: 'POST', path: MFA, ...options })
    return this.get(options)
  }

  get(options: CallOptions = {}): Promise<OneTimeCodes> {
    return this.#api.call('client', { method: 'GET', path: MFA, ...options })
  }

  /** Completes the setup with a first code. From then on every login needs one. */
  async verify(code: string, options: CallOptions = {}): Promise<void> {
    await this.#api.call('client', { method: 'POST', path: `${MFA}/verify`, body: { code }, ...options })
  }

  /** The unused recovery codes. */
  async recoveryCodes(code: string, options: CallOptions = {}): Promise<readonly string[]> {
    const call = { method: 'GET', path: `${MFA}/recovery-codes`, headers: { [CODE_HEADER]: code }, ...options } as const
    return (await this.#api.call<RecoveryCodes>('client', call)).recoveryCodes
  }

  /** Replaces the recovery codes. */
  async newRecoveryCodes(code: string, options: CallOptions = {}): Promise<void> {
    await this.#api.call('client', { method: 'POST', path: `${MFA}/recovery-codes`, body: { code }, ...options })
  }

  /** Removes the caller's one-time codes. */
  async remove(code: string, options: CallOptions = {}): Promise<void> {
    await this.#api.call('client', { method: 'DELETE', path: MFA, headers: { [CODE_HEADER]: code }, ...options })
  }
}
