import { isLoopbackUrl } from './loopback.ts'

/** The URLs of the local provider: one listener, three issuers. */
export interface ProviderAddresses {
  readonly base: string
  readonly registrationUrl: string
  /** A cloud user pool. As there, issuer and token endpoint have different base URLs. */
  readonly userPool: IssuerAddresses
  /** A hosted identity platform, whose issuer ends with a slash. */
  readonly hostedPlatform: IssuerAddresses
  /** An enterprise provider: `oidc-provider` itself. People also log in here. */
  readonly enterprise: IssuerAddresses
}

export interface IssuerAddresses {
  readonly issuer: string
  readonly discoveryUrl: string
  readonly jwksUri: string
  readonly tokenUrl: string
}

export const TOKEN_SECONDS = 3600
/** The audience of tokens with which people log in to the controller. */
export const SIGNER_AUDIENCE = 'urn:countersign:overlay'
/** The audience of security events for the controller. */
export const SIGNALS_AUDIENCE = 'urn:countersign:signals'
/** The audience of the enterprise provider's tokens for the hosted API. */
export const HOSTED_AUDIENCE = 'urn:countersign:hosted-api'
/** The public client of console, command and browsers. It uses PKCE and has no secret. */
export const PUBLIC_CLIENT_ID = 'countersign'

/** Whether a record has issuer and keys of a local provider, at any port. */
export function isLocalProviderRecord({ issuer, jwksUri }: { issuer: string; jwksUri: string | null }): boolean {
  if (!isLoopbackUrl(issuer)) return false
  const { userPool, hostedPlatform, enterprise } = buildProviderAddresses(new URL(issuer).origin)
  return [userPool, hostedPlatform, enterprise].some((local) => local.issuer === issuer && local.jwksUri === jwksUri)
}

const WELL_KNOWN = '.well-known'

export function buildProviderAddresses(base: string): ProviderAddresses {
  const pool = `${base}/us-east-1_Local`
  const platform = `${base}/platform/`
  return {
    base,
    registrationUrl: `${base}/reg`,
    userPool: {
      issuer: pool,
      discoveryUrl: `${pool}/${WELL_KNOWN}/openid-configuration`,
      jwksUri: `${pool}/${WELL_KNOWN}/jwks.json`,
      tokenUrl: `${base}/oauth2/token`,
    },
    hostedPlatform: {
      issuer: platform,
      discoveryUrl: `${platform}${WELL_KNOWN}/openid-configuration`,
      jwksUri: `${platform}${WELL_KNOWN}/jwks.json`,
      tokenUrl: `${base}/oauth/token`,
    },
    enterprise: {
      issuer: base,
      discoveryUrl: `${base}/${WELL_KNOWN}/openid-configuration`,
      jwksUri: `${base}/jwks`,
      tokenUrl: `${base}/token`,
    },
  }
}
