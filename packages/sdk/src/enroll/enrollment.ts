import type { ControllerApi } from '../controller/controller-api.ts'
import { CountersignError } from '../countersign-error.ts'
import type { CallOptions } from '../http/transport.ts'
import { readClaims } from '../token/base64.ts'
import type { Controller, Enrolled } from '../wire-types.ts'
import { createCertificateRequest, createKeyPair, type KeyPair } from './key-pair.ts'

export interface TokenEnrollOptions extends CallOptions {
  /** The signer to enroll with, when several match. */
  readonly signerId?: string | undefined
}

export interface CertificateEnrollOptions extends TokenEnrollOptions {
  /** Default: a new key pair. A token that is bound to a key needs this key: `importKeyPair`. */
  readonly keys?: KeyPair | undefined
}

/** An issued certificate and its key pair. */
export interface EnrolledCertificate {
  /** The certificate and its intermediates, in PEM. */
  readonly certificate: string
  /** The CAs that certify the controller, in PEM. */
  readonly ca: string
  readonly keys: KeyPair
  readonly identityId: string | undefined
  readonly controllers: readonly Controller[]
}

/** The claims of an enrollment JWT. Unverified: use it only when the JWT comes from a trusted source. */
export interface EnrollmentTicket {
  /** The controller to enroll with. */
  readonly issuer: string
  /** `ott` for a certificate, `updb` for a password. */
  readonly method: string
  readonly token: string
  readonly identityId: string | undefined
  readonly expiresAt: Date | undefined
}

const MS_PER_SECOND = 1000

/** Decodes an enrollment JWT. Throws BAD_CREDENTIALS. */
export function readEnrollmentTicket(jwt: string): EnrollmentTicket {
  const { iss, em, jti, sub, exp } = readClaims(jwt.trim()) ?? {}
  if (typeof iss !== 'string' || typeof em !== 'string' || typeof jti !== 'string') {
    throw new CountersignError({ code: 'BAD_CREDENTIALS', message: 'this is not an enrollment JWT' })
  }
  return {
    issuer: iss,
    method: em,
    token: jti,
    identityId: typeof sub === 'string' ? sub : undefined,
    expiresAt: typeof exp === 'number' ? new Date(exp * MS_PER_SECOND) : undefined,
  }
}

/** Enrolls a first credential. Needs no session. */
export class Enrollment {
  readonly #api: ControllerApi

  constructor(api: ControllerApi) {
    this.#api = api
  }

  /** Enrolls with a provider's token and returns a certificate. */
  async toCertificate(jwt: string, options: CertificateEnrollOptions = {}): Promise<EnrolledCertificate> {
    const { keys = await createKeyPair(), ...rest } = options
    const clientCsr = await createCertificateRequest(keys)
    return toEnrolledCertificate(await this.#withToken(jwt, { clientCsr }, rest), keys)
  }

  /** Enrolls with a provider's token for logins with such tokens (`logInWithJwt`). Returns the identity's id. */
  async toToken(jwt: string, options: TokenEnrollOptions = {}): Promise<string | undefined> {
    return (await this.#withToken(jwt, {}, options)).identityId
  }

  /** Redeems a one-time token, or the enrollment JWT that contains it, for a certificate. */
  async withOneTimeToken(
    tokenOrJwt: string,
    { keys: given, ...options }: Omit<CertificateEnrollOptions, 'signerId'> = {},
  ): Promise<EnrolledCertificate> {
    const keys = given ?? (await createKeyPair())
    const body = { token: oneTimeToken(tokenOrJwt), clientCsr: await createCertificateRequest(keys) }
    return toEnrolledCertificate(await this.#enroll({ path: '/enroll/ott', body, ...options }), keys)
  }

  /** Redeems a one-time token, or the enrollment JWT that contains it, by setting a password. Returns the user name. */
  async withPassword(tokenOrJwt: string, password: string, options: CallOptions = {}): Promise<string | undefined> {
    const query = { token: oneTimeToken(tokenOrJwt) }
    return (await this.#enroll({ path: '/enroll/updb', query, body: { password }, ...options })).username
  }

  #withToken(jwt: string, body: object, { signerId, ...options }: TokenEnrollOptions): Promise<Enrolled> {
    const headers = {
      authorization: `Bearer ${jwt}`,
      ...(signerId !== undefined && { 'ziti-token-issuer-id': signerId }),
    }
    return this.#enroll({ path: '/enroll/token', headers, body, ...options })
  }

  #enroll(
    call: {
      path: string
      body: object
      headers?: Record<string, string>
      query?: Record<string, string>
    } & CallOptions,
  ) {
    return this.#api.callAnonymously<Enrolled>('client', { method: 'POST', ...call })
  }
}

function oneTimeToken(tokenOrJwt: string): string {
  const text = tokenOrJwt.trim()
  return text.split('.').length === 3 ? readEnrollmentTicket(text).token : text
}

function toEnrolledCertificate(
  { cert = '', ca = '', identityId, controllers = [] }: Enrolled,
  keys: KeyPair,
): EnrolledCertificate {
  return { certificate: cert, ca, keys, identityId, controllers }
}
