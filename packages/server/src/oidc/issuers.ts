import { OwnAddresses, type OwnAddressesParts } from '../platform/own-addresses.ts'

export const OIDC_PATH = '/oidc'

/** The issuers of this controller: one for each address under which it is reached. */
export class Issuers {
  readonly #addresses: OwnAddresses

  constructor(parts: OwnAddressesParts) {
    this.#addresses = new OwnAddresses(parts)
  }

  /** The issuer for the `Host` of a request; undefined when it is not an address of this controller. */
  find(host: string, localPort: number | undefined): string | undefined {
    const address = this.#addresses.find(host, localPort)
    return address === undefined ? undefined : issuerOf(address)
  }

  /** Whether an issuer is one of this controller. */
  isOwn(issuer: string): boolean {
    const url = URL.canParse(issuer) ? new URL(issuer) : undefined
    if (url?.protocol !== 'https:' || url.pathname.replace(/\/+$/, '') !== OIDC_PATH) return false
    return this.#addresses.isOwn(url, undefined)
  }
}

export const issuerOf = (address: string): string => `https://${address}${OIDC_PATH}`
