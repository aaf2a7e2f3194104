import type { ControllerContext } from '../../controller-context.ts'
import { COMPATIBLE_VERSION, PRODUCT_VERSION } from '../../version.ts'
import { CLIENT, MANAGEMENT, onBothApis } from '../api-paths.ts'
import { detail } from '../pipeline/envelope.ts'
import type { Route } from '../pipeline/route.ts'

/** What a client asks before it knows anything: which version speaks here, and whose certificates to trust. */
export function informationRoutes({ addresses, caCertificates }: ControllerContext): Route[] {
  const versions = () => {
    const api = (path: string) => ({
      v1: { path, apiBaseUrls: addresses().map((address) => `https://${address}${path}`) },
    })
    return {
      version: COMPATIBLE_VERSION,
      revision: PRODUCT_VERSION,
      buildDate: '',
      runtimeVersion: `node${process.versions.node}`,
      capabilities: [],
      apiVersions: { edge: api(CLIENT), 'edge-client': api(CLIENT), 'edge-management': api(MANAGEMENT) },
      countersign: { version: PRODUCT_VERSION },
    }
  }
  return [
    {
      method: 'GET',
      paths: ['/', '/version', CLIENT, MANAGEMENT, ...onBothApis('/version')],
      access: 'anonymous',
      bodyCap: 'anonymous',
      body: null,
      handle: () => detail(versions()),
    },
    {
      method: 'GET',
      paths: ['', CLIENT, MANAGEMENT].map((base) => `${base}/.well-known/est/cacerts`),
      access: 'anonymous',
      bodyCap: 'anonymous',
      body: null,
      produces: 'application/pkcs7-mime',
      handle: () => ({
        status: 200,
        headers: { 'content-transfer-encoding': 'base64' },
        bytes: { content: caCertificates(), type: 'application/pkcs7-mime' },
      }),
    },
  ]
}
