import { CLIENT, MANAGEMENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import { selfLink, timestamp } from '../pipeline/envelope.ts'

/** The id and the name of the one controller that a list of controllers holds. */
export const CONTROLLER_ID = 'countersign'

const API_PATHS = { 'edge-client': CLIENT, 'edge-management': MANAGEMENT }

type ApiName = keyof typeof API_PATHS

/** This controller as clients remember it: where it is reached, and which certificate it shows. */
export function controllerView(
  { addresses, serverIdentity, startedAt }: Pick<ControllerContext, 'addresses' | 'serverIdentity' | 'startedAt'>,
  apis: readonly ApiName[] = ['edge-client'],
) {
  const { certificatePem, fingerprint } = serverIdentity()
  const since = timestamp(startedAt)
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
    apiAddresses: Object.fromEntries(apis.map((api) => [api, urlsOf(api)])),
  }
}
