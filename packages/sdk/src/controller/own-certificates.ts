import { createCertificateRequest, createKeyPair, type KeyPair } from '../enroll/key-pair.ts'
import type { CallOptions } from '../http/transport.ts'
import type { RenewedCertificate } from '../wire-types.ts'
import type { ControllerApi } from './controller-api.ts'

const pathOf = (id: string): string => `/current-identity/authenticators/${encodeURIComponent(id)}`

export interface RenewOptions extends CallOptions {
  /** The keys of the new certificate. By default new ones. */
  readonly keys?: KeyPair | undefined
  /** A token of the signer that enrolled the identity, for policies with `renewalNeedsToken`. */
  readonly token?: string | undefined
}

/** Renewal of the caller's own certificate, over connections that present it: see `createNodeFetch`. */
export class OwnCertificates {
  readonly #api: ControllerApi

  constructor(api: ControllerApi) {
    this.#api = api
  }

  /** Returns a new certificate for the authenticator. The old one works until `confirm`: store the new one and its keys first. */
  async renew(
    authenticatorId: string,
    { keys, token, ...options }: RenewOptions = {},
  ): Promise<{ readonly certificate: string; readonly ca: string; readonly keys: KeyPair }> {
    const pair = keys ?? (await createKeyPair())
    const body = { clientCertCsr: await createCertificateRequest(pair) }
    const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` }
    const path = `${pathOf(authenticatorId)}/extend`
    const call = { method: 'POST', path, body, headers, ...options } as const
    const { clientCert: certificate, ca } = await this.#api.call<RenewedCertificate>('client', call)
    return { certificate, ca, keys: pair }
  }

  /** Replaces the old certificate with the renewed one. */
  async confirm(authenticatorId: string, certificate: string, options: CallOptions = {}): Promise<void> {
    const path = `${pathOf(authenticatorId)}/extend-verify`
    await this.#api.call('client', { method: 'POST', path, body: { clientCert: certificate }, ...options })
  }
}
