import { AppError } from '../app-error.ts'

/** What a passkey is bound to: the origin of the page that uses it, and the domain (`rp.id`) below which it works. */
export interface RelyingParty {
  readonly origin: string
  readonly rpId: string
}

const NEEDS_NAME =
  'passkeys need a host name: browsers offer none for an IP address. Open the console under a name of the controller, such as https://controller.example.com:1280/console, or https://localhost:1280/console on the same machine'

/**
 * The relying party of pages of this origin: its host name, or the `domain` of the settings when the host is below it. Fails with
 * PASSKEY_UNAVAILABLE for an IP address, and for a host outside of the domain.
 */
export function relyingPartyOf(origin: string, domain: string | null): RelyingParty {
  const { hostname } = new URL(origin)
  if (isAddress(hostname)) throw unavailable(NEEDS_NAME)
  if (domain === null || hostname === domain) return { origin, rpId: hostname }
  if (hostname.endsWith(`.${domain}`)) return { origin, rpId: domain }
  throw unavailable(`passkeys of this controller work only under ${domain}, which the setting passkeys.domain says`)
}

/** The host of a URL is in canonical form: an IPv6 address has brackets, an IPv4 address four numbers. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^[0-9.]+$/.test(hostname)
}

function unavailable(message: string): AppError {
  return new AppError('PASSKEY_UNAVAILABLE', { message })
}
