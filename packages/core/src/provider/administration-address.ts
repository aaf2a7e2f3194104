import { isUserPool } from './provider-product.ts'
import type { ProviderSettings } from './provider-settings.ts'

export type AdministeredRecord = Pick<ProviderSettings, 'issuer' | 'tokenUrl' | 'administration'>

/** The administration APIs of Entra, by the host that issues tokens. */
const GRAPH_URLS: ReadonlyMap<string, string> = new Map([
  ['login.microsoftonline.com', 'https://graph.microsoft.com'],
  ['sts.windows.net', 'https://graph.microsoft.com'],
  ['login.windows.net', 'https://graph.microsoft.com'],
  ['login.microsoftonline.us', 'https://graph.microsoft.us'],
  ['login.partner.microsoftonline.cn', 'https://microsoftgraph.chinacloudapi.cn'],
  ['sts.chinacloudapi.cn', 'https://microsoftgraph.chinacloudapi.cn'],
])

/** The address of the provider's administration API, without a trailing slash; null when there is none. */
export function administrationAddress({ issuer, administration }: AdministeredRecord): string | null {
  switch (administration?.kind) {
    case 'rfc7591':
      return administration.registrationUrl ?? null
    case 'keycloak':
      return withoutSlash(administration.url ?? '')
    case 'auth0':
      return withoutSlash(issuer)
    case 'cognito':
      return withoutSlash(administration.url ?? originOf(issuer))
    case 'entra':
      return withoutSlash(administration.url ?? GRAPH_URLS.get(hostOf(issuer)) ?? '') || null
    default:
      return null
  }
}

/** Identifies where the secret of an administration is sent, and for what. When it changes, the secret must be given again. */
export function secretDestination(record: AdministeredRecord): string {
  const { administration, issuer, tokenUrl } = record
  const { kind = null, realm = '' } = administration ?? {}
  // The issuer of Cognito names the pool.
  const within = kind === 'cognito' ? issuer : kind === 'entra' ? tokenUrl : realm
  return JSON.stringify([kind, administrationAddress(record), within])
}

/**
 * Whether only the issuer itself can respond at the administration API, so that the clients it names are the issuer's own. Registration endpoints
 * need a closer look: the discovery document may name one.
 */
export function isIssuersAdministration(record: AdministeredRecord): boolean {
  const { issuer, administration } = record
  const address = administrationAddress(record)
  switch (administration?.kind) {
    case 'keycloak':
      return `${address}/realms/${encodeURIComponent(administration.realm ?? '')}` === withoutSlash(issuer)
    case 'cognito':
      // On any other host, paths may be another party's.
      return isUserPool(issuer) && address === originOf(issuer)
    case 'auth0':
      return true
    case 'entra':
      return address !== null && address === GRAPH_URLS.get(hostOf(issuer))
    default:
      return false
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}
