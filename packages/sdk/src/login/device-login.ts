import { CountersignError } from '../countersign-error.ts'
import { memberOf, parseJson, textOf } from '../http/read-body.ts'
import { sleep } from '../http/retry-delay.ts'
import { parseSafeAddress } from '../http/safe-address.ts'
import type { CallOptions } from '../http/transport.ts'
import { tokenRefused } from '../token/token-refused.ts'
import { endpointOf, findLoginTarget, type LoginOptions, type LoginTarget } from './login-target.ts'
import { fetchTokens, type LoginTokens, refreshTokens, sendForm } from './login-tokens.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const DEFAULT_INTERVAL = 5
const SLOW_DOWN_SECONDS = 5
const DEFAULT_LIFE = 600
const MS_PER_SECOND = 1000
/** A person takes minutes; a provider that is away for a moment does not end that. */
const NO_ANSWER: readonly string[] = ['NETWORK', 'NO_ANSWER_IN_TIME']

/** A login on another device, by a code that a person types there (RFC 8628). */
export class DeviceLogin {
  readonly #target: LoginTarget
  readonly #deviceCode: string
  /** What the person types. */
  readonly userCode: string
  /** Where he types it. */
  readonly verificationUri: string
  /** The same with the code in it, where the provider has that. */
  readonly verificationUriComplete: string | undefined
  readonly expiresAt: Date
  #intervalSeconds: number

  private constructor(target: LoginTarget, value: unknown) {
    this.#target = target
    this.#deviceCode = textOf(value, 'device_code') ?? ''
    this.userCode = textOf(value, 'user_code') ?? ''
    const complete = textOf(value, 'verification_uri_complete')
    this.verificationUri = parseSafeAddress(textOf(value, 'verification_uri') ?? '', 'verification_uri').href
    this.verificationUriComplete = complete && parseSafeAddress(complete, 'verification_uri_complete').href
    this.expiresAt = new Date(Date.now() + secondsOf(value, 'expires_in', DEFAULT_LIFE) * MS_PER_SECOND)
    this.#intervalSeconds = secondsOf(value, 'interval', DEFAULT_INTERVAL)
  }

  /** Begins a login: show `userCode` and `verificationUri`, then wait for `finish`. */
  static async start(options: LoginOptions): Promise<DeviceLogin> {
    const target = await findLoginTarget(options)
    const url = endpointOf(target, 'deviceAuthorizationEndpoint')
    const { signal, timeoutMs } = options
    const answer = await sendForm(target, url, target.parameters, { signal, timeoutMs })
    if (!answer.isOk) throw tokenRefused(answer, url, [])
    return new DeviceLogin(target, parseJson(answer.text))
  }

  /** Waits until the person has logged in, or has said no, or the code has ended. */
  async finish(options: CallOptions = {}): Promise<LoginTokens> {
    while (Date.now() < this.expiresAt.getTime()) {
      await sleep(this.#intervalSeconds * MS_PER_SECOND, options.signal)
      const tokens = await this.#poll(options)
      if (tokens) return tokens
    }
    throw tooLate()
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
      const { provider: { error: word } = {} } = error
      if (word === 'access_denied') throw refused('whoever was asked said no', error)
      if (word === 'expired_token') throw tooLate()
      if (word === 'slow_down') this.#intervalSeconds += SLOW_DOWN_SECONDS
      else if (NO_ANSWER.includes(error.code)) this.#intervalSeconds *= 2
      else if (word !== 'authorization_pending') throw error
      return undefined
    }
  }
}

function tooLate(): CountersignError {
  return refused('nobody logged in before the code ended')
}

function refused(message: string, cause?: CountersignError): CountersignError {
  const { status, provider } = cause ?? {}
  return new CountersignError({ code: 'LOGIN_REFUSED', message, hint: 'begin the login again', status, provider })
}

function secondsOf(value: unknown, name: string, otherwise: number): number {
  const seconds = memberOf(value, name)
  return typeof seconds === 'number' && seconds > 0 ? seconds : otherwise
}
