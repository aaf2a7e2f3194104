import { CountersignError } from '../countersign-error.ts'
import { memberOf, parseJson, textOf } from '../http/read-body.ts'
import { sleep } from '../http/retry-delay.ts'
import { parseSafeAddress } from '../http/safe-address.ts'
import type { CallOptions } from '../http/transport.ts'
import { tokenRefusedError } from '../token/token-refused-error.ts'
import { endpointOf, findLoginTarget, type LoginOptions, type LoginTarget } from './login-target.ts'
import { fetchTokens, type LoginTokens, refreshTokens, sendForm } from './login-tokens.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const DEFAULT_INTERVAL_SECONDS = 5
const SLOW_DOWN_SECONDS = 5
const DEFAULT_LIFETIME_SECONDS = 600
const MS_PER_SECOND = 1000
/** The login takes minutes, so polling survives short outages of the provider. */
const NO_RESPONSE: readonly string[] = ['NETWORK', 'NO_ANSWER_IN_TIME']

/** A login on another device, with a code that the user enters there (RFC 8628). */
export class DeviceLogin {
  readonly #target: LoginTarget
  readonly #deviceCode: string
  /** The code that the user enters. */
  readonly userCode: string
  /** Where the user enters it. */
  readonly verificationUri: string
  /** `verificationUri` with the code in it, if the provider offers one. */
  readonly verificationUriComplete: string | undefined
  readonly expiresAt: Date
  #intervalSeconds: number

  private constructor(target: LoginTarget, endpoint: string, value: unknown) {
    this.#target = target
    this.#deviceCode = textOf(value, 'device_code') ?? ''
    this.userCode = textOf(value, 'user_code') ?? ''
    const complete = textOf(value, 'verification_uri_complete')
    this.verificationUri = parseSafeAddress(textOf(value, 'verification_uri') ?? '', 'verification_uri', endpoint).href
    this.verificationUriComplete = complete && parseSafeAddress(complete, 'verification_uri_complete', endpoint).href
    this.expiresAt = new Date(Date.now() + secondsOf(value, 'expires_in', DEFAULT_LIFETIME_SECONDS) * MS_PER_SECOND)
    this.#intervalSeconds = secondsOf(value, 'interval', DEFAULT_INTERVAL_SECONDS)
  }

  /** Starts a login: show `userCode` and `verificationUri`, then wait for `finish`. */
  static async start(options: LoginOptions): Promise<DeviceLogin> {
    const target = await findLoginTarget(options)
    const url = endpointOf(target, 'deviceAuthorizationEndpoint')
    const { signal, timeoutMs } = options
    const response = await sendForm(target, url, target.parameters, { signal, timeoutMs })
    if (!response.isOk) throw tokenRefusedError(response, url, [])
    return new DeviceLogin(target, url, parseJson(response.text))
  }

  /** Polls until the user has logged in. Throws LOGIN_REFUSED when the user declines or the code expires. */
  async finish(options: CallOptions = {}): Promise<LoginTokens> {
    while (Date.now() < this.expiresAt.getTime()) {
      await sleep(this.#intervalSeconds * MS_PER_SECOND, options.signal)
      const tokens = await this.#poll(options)
      if (tokens) return tokens
    }
    throw expiredCode()
  }

  /** New tokens for a refresh token. */
  refresh(refreshToken: string, options: CallOptions = {}): Promise<LoginTokens> {
    return refreshTokens(this.#target, refreshToken, options)
  }

  async #poll(options: CallOptions): Promise<LoginTokens | undefined> {
    try {
      return await fetchTokens(this.#target, { grant_type: GRANT, device_code: this.#deviceCode }, options)
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error
      const { provider: { error: providerCode } = {} } = error
      if (providerCode === 'access_denied') throw refused('the login was declined', error)
      if (providerCode === 'expired_token') throw expiredCode()
      if (providerCode === 'slow_down') this.#intervalSeconds += SLOW_DOWN_SECONDS
      else if (NO_RESPONSE.includes(error.code)) this.#intervalSeconds *= 2
      else if (providerCode !== 'authorization_pending') throw error
      return undefined
    }
  }
}

function expiredCode(): CountersignError {
  return refused('the code expired before the login was completed')
}

function refused(message: string, cause?: CountersignError): CountersignError {
  const { status, provider } = cause ?? {}
  return new CountersignError({ code: 'LOGIN_REFUSED', message, hint: 'start the login again', status, provider })
}

function secondsOf(value: unknown, name: string, fallback: number): number {
  const seconds = memberOf(value, name)
  return typeof seconds === 'number' && seconds > 0 ? seconds : fallback
}
