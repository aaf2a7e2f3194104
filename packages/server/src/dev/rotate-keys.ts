import type { IncomingMessage } from 'node:http'
import type { ProviderResponse } from './provider-http.ts'
import { createProviderKeys } from './provider-keys.ts'
import type { ProviderStateFile } from './provider-state.ts'

const KEPT = 2

/**
 * Creates new keys. The previous keys stay in the key set until the next rotation, so that their tokens stay valid. With `?drop=true` they
 * are removed at once, as after a theft.
 */
export function createRotateKeys(state: ProviderStateFile, onRotated: () => void) {
  return async ({ url = '' }: IncomingMessage): Promise<ProviderResponse> => {
    const drops = new URLSearchParams(url.split('?', 2)[1]).get('drop') === 'true'
    const fresh = await createProviderKeys()
    await state.update((now) => ({ ...now, keys: [fresh, ...now.keys].slice(0, drops ? 1 : KEPT) }))
    onRotated()
    const [newest = [], ...older] = state.current().keys.map((keys) => keys.map(({ kid }) => kid))
    return { status: 200, json: { signing: newest, stillShown: older.flat() } }
  }
}
