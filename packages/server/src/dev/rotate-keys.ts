import type { IncomingMessage } from 'node:http'
import type { ProviderAnswer } from './provider-http.ts'
import { createProviderKeys } from './provider-keys.ts'
import type { ProviderStateFile } from './provider-state.ts'

const KEPT = 2

/**
 * New keys on demand. Those of before stay in the key set until the next rotation, so that their tokens go on; with
 * `?drop=true` they go at once, as after a theft.
 */
export function createRotateKeys(state: ProviderStateFile, onRotated: () => void) {
  return async ({ url = '' }: IncomingMessage): Promise<ProviderAnswer> => {
    const drops = new URLSearchParams(url.split('?', 2)[1]).get('drop') === 'true'
    const fresh = await createProviderKeys()
    await state.update((now) => ({ ...now, keys: [fresh, ...now.keys].slice(0, drops ? 1 : KEPT) }))
    onRotated()
    const [newest = [], ...older] = state.current().keys.map((keys) => keys.map(({ kid }) => kid))
    return { status: 200, json: { signing: newest, stillShown: older.flat() } }
  }
}
