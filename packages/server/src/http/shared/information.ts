import { COMPATIBLE_VERSION, PRODUCT_VERSION } from '../../platform/version.ts'
import { CLIENT, MANAGEMENT, onBothApis } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import { detail } from '../pipeline/envelope.ts'
import type { Route } from '../pipeline/route.ts'
import { createNetworkJwt } from './network-jwt.ts'

/** Existing clients look for an identity provider of the controller's own here, which it does not have. */
const CAPABILITIES: readonly string[] = []

/** What a client asks before it knows anything: which version speaks here, and whose certificates to trust. */
export function informationRoutes(context: ControllerContext): Route[] {
  const { addresses, caCertificates } = context
  const networkJwt = createNetworkJwt(context)
  const versions = () => {
    const api = (path: string) => ({
      v1: { path, apiBaseUrls: addresses().map((address) => `https://${address}${path}`) },
    })
    return {
      version: COMPATIBLE_VERSION,
      revision: PRODUCT_VERSION,
      buildDate: '',
      runtimeVersion: `node${process.versions.node}`,
      capabilities: CAPABILITIES,
      apiVersions: { edge: api(CLIENT), 'edge-client': api(CLIENT), 'edge-management': api(MANAGEMENT) },
      countersign: { version: PRODUCT_VERSION },
    }
  }
  return [
    open(['/', '/version', CLIENT, MANAGEMENT, ...onBothApis('/version')], versions),
    {
      method: 'GET',
      paths: ['', CLIENT, MANAGEMENT].map((base) => `${base}/.well-known/est/cacerts`),
      access: 'anonymous',
      rate: 'none',
      bodyCap: 'anonymous',
      body: null,
      produces: 'application/pkcs7-mime',
      handle: () => ({
        status: 200,
        headers: { 'content-transfer-encoding': 'base64' },
        bytes: { content: caCertificates(), type: 'application/pkcs7-mime' },
      }),
    },
    open([`${CLIENT}/protocols`], () => ({ https: { address: addresses()[0] } })),
    open(onBothApis('/network-jwts'), () => [{ name: 'default', token: networkJwt() }]),
    open(onBothApis('/enumerated-capabilities'), () => CAPABILITIES),
  ]
}

/** A call that anybody may make and that answers the same to everybody. */
function open(paths: readonly string[], data: () => unknown): Route {
  return {
    method: 'GET',
    paths,
    access: 'anonymous',
    rate: 'none',
    bodyCap: 'anonymous',
    body: null,
    handle: () => detail(data()),
  }
}
