import { isSecretOf } from './client-secret.ts'
import type { ProviderStateFile } from './provider-state.ts'

/** Whether these are the credentials of a registered client with the client credentials grant. */
export type IsMachine = (clientId: string | undefined, secret: string | undefined) => boolean

const MAX_LENGTH = 512

/** Reads the client store of `oidc-provider` without loading it. */
export function createIsMachine(state: ProviderStateFile): IsMachine {
  return (clientId = '', secret = '') => {
    if (clientId.length > MAX_LENGTH || secret.length > MAX_LENGTH) return false
    const clients = state.current().kept.Client ?? {}
    const client = Object.hasOwn(clients, clientId) ? clients[clientId] : undefined
    const known = typeof client?.client_secret === 'string' ? client.client_secret : undefined
    const { grant_types: grants } = client ?? {}
    return isSecretOf(known, secret) && Array.isArray(grants) && grants.includes('client_credentials')
  }
}
