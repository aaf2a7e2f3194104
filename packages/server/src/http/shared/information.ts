import { OIDC_PATH } from '../../oidc/issuers.ts'
import type { Settings } from '../../platform/settings/index.ts'
import { BUILD_DATE, COMPATIBLE_VERSION, PRODUCT_VERSION } from '../../platform/version.ts'
import { CLIENT, MANAGEMENT, onBothApis } from '../api-paths.ts'
import { detail } from '../pipeline/envelope.ts'
import type { Route } from '../pipeline/route.ts'
import { describe, type RouteNote } from '../pipeline/route-note.ts'
import { createNetworkJwt, type NetworkJwtParts } from './network-jwt.ts'

interface InformationRouteParts extends NetworkJwtParts {
  readonly settings: Pick<Settings, 'oidc'>
  /** The CA certificates as EST clients read them: PKCS#7, base64 in lines of 64. */
  readonly caCertificates: () => Buffer
}

/** Existing clients log in by the OpenID provider when they find these. */
const OIDC_CAPABILITIES: readonly string[] = ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR']

const NOTES = {
  version: describe.one('Version', 'Get the version and the addresses of the controller'),
  caCertificates: describe.other(
    'Certs-only PKCS#7 in base64, in lines of 64 characters',
    'Get the CA certificates to trust',
  ),
  protocols: describe.one('Protocols', 'Get the address of the controller'),
  networkJwts: describe.wholeList('NetworkJwt', 'Get a signed JWT with the address of this network'),
  capabilities: describe.wholeList('text', 'List the optional capabilities of the controller'),
}

/** What a client requests before login: the version and addresses of the controller, and the CA certificates to trust. */
export function informationRoutes(parts: InformationRouteParts): Route[] {
  const { addresses, caCertificates, settings } = parts
  const hasOidc = settings.oidc.enabled
  const capabilities = hasOidc ? OIDC_CAPABILITIES : []
  const networkJwt = createNetworkJwt(parts)
  const versions = () => {
    const api = (path: string) => ({
      v1: { path, apiBaseUrls: addresses().map((address) => `https://${address}${path}`) },
    })
    return {
      version: COMPATIBLE_VERSION,
      revision: PRODUCT_VERSION,
      buildDate: BUILD_DATE,
      runtimeVersion: `node${process.versions.node}`,
      capabilities,
      apiVersions: {
        edge: api(CLIENT),
        'edge-client': api(CLIENT),
        'edge-management': api(MANAGEMENT),
        ...(hasOidc && { 'edge-oidc': api(OIDC_PATH) }),
      },
      countersign: { version: PRODUCT_VERSION },
    }
  }
  return [
    open(['/', '/version', CLIENT, MANAGEMENT, ...onBothApis('/version')], NOTES.version, versions),
    {
      method: 'GET',
      paths: ['', CLIENT, MANAGEMENT].map((base) => `${base}/.well-known/est/cacerts`),
      access: 'anonymous',
      rate: 'none',
      bodyCap: 'anonymous',
      body: null,
      note: NOTES.caCertificates,
      produces: 'application/pkcs7-mime',
      handle: () => ({
        status: 200,
        headers: { 'content-transfer-encoding': 'base64' },
        bytes: { content: caCertificates(), type: 'application/pkcs7-mime' },
      }),
    },
    open([`${CLIENT}/protocols`], NOTES.protocols, () => ({ https: { address: addresses()[0] } })),
    open(onBothApis('/network-jwts'), NOTES.networkJwts, () => [{ name: 'default', token: networkJwt() }]),
    open(onBothApis('/enumerated-capabilities'), NOTES.capabilities, () => capabilities),
  ]
}

/** An anonymous call whose response does not depend on the caller. */
function open(paths: readonly string[], note: RouteNote, data: () => unknown): Route {
  return {
    method: 'GET',
    paths,
    access: 'anonymous',
    rate: 'none',
    bodyCap: 'anonymous',
    body: null,
    note,
    handle: () => detail(data()),
  }
}
