import { isSecretOf } from './client-secret.ts'
import type { ProviderStateFile } from './provider-state.ts'

/** Whether these are the credentials of a registered client that may ask for tokens of its own. */
export type IsMachine = (clientId: string | undefined, secret: string | undefined) => boolean

const MAX_LENGTH = 512

/** Looks into the client store of `oidc-provider`, which need not be loaded for that. */
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
