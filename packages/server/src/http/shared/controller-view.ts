import { OIDC_PATH } from '../../oidc/issuers.ts'
import type { ServerIdentity } from '../../platform/keys/server-identity.ts'
import type { Settings } from '../../platform/settings/index.ts'
import { CLIENT, MANAGEMENT } from '../api-paths.ts'
import { selfLink, timestamp } from '../pipeline/envelope.ts'

export interface ControllerViewParts {
  /** host:port pairs under which clients reach this controller, the first one preferred. */
  readonly addresses: () => readonly string[]
  /** The server certificate that is in use. */
  readonly serverIdentity: () => Pick<ServerIdentity, 'certificatePem' | 'fingerprint'>
  readonly settings: Pick<Settings, 'oidc'>
  /** When this controller was created. */
  readonly startedAt: number
}

/** The id and name of this controller in lists of controllers. */
export const CONTROLLER_ID = 'countersign'

const API_PATHS = { 'edge-client': CLIENT, 'edge-management': MANAGEMENT, 'edge-oidc': OIDC_PATH }

type ApiName = keyof typeof API_PATHS

/** This controller as clients store it: its addresses and its server certificate. */
export function controllerView(
  { addresses, serverIdentity, settings, startedAt }: ControllerViewParts,
  apis: readonly ApiName[] = ['edge-client'],
) {
  const { certificatePem, fingerprint } = serverIdentity()
  const since = timestamp(startedAt)
  const served: readonly ApiName[] = settings.oidc.enabled ? [...apis, 'edge-oidc'] : apis
  const urlsOf = (api: ApiName) =>
    addresses().map((address) => ({ url: `https://${address}${API_PATHS[api]}`, version: 'v1' }))
  return {
    _links: selfLink('controllers', CONTROLLER_ID),
    id: CONTROLLER_ID,
    createdAt: since,
    updatedAt: since,
    tags: {},
    name: CONTROLLER_ID,
    certPem: certificatePem,
    fingerprint,
    isOnline: true,
    lastJoinedAt: since,
    ctrlAddress: null,
    apiAddresses: Object.fromEntries(served.map((api) => [api, urlsOf(api)])),
  }
}
