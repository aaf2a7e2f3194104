import type { Adapter, AdapterPayload } from 'oidc-provider'
import { digestOfSecret } from './client-secret.ts'
import type { ProviderStateFile, Stored } from './provider-state.ts'

/** Models that are stored across restarts: clients, and their registration access tokens. */
const KEPT: readonly string[] = ['Client', 'RegistrationAccessToken']
const MAX_KEPT = 10_000
const MAX_IN_MEMORY = 10_000

interface InMemory {
  readonly payload: AdapterPayload
  readonly expiresAt: number
}

/** Storage for `oidc-provider`: clients on disk, logins in progress in memory, where the oldest are evicted. */
export function createProviderAdapter(state: ProviderStateFile): (model: string) => Adapter {
  const memory = new Map<string, InMemory>()

  const remember = (key: string, payload: AdapterPayload, expiresIn: number | undefined): void => {
    memory.delete(key)
    const oldest = memory.size >= MAX_IN_MEMORY ? memory.keys().next().value : undefined
    if (oldest !== undefined) memory.delete(oldest)
    memory.set(key, { payload, expiresAt: expiresIn ? Date.now() + expiresIn * 1000 : Number.POSITIVE_INFINITY })
  }

  const recall = (key: string): AdapterPayload | undefined => {
    const found = memory.get(key)
    if (found && found.expiresAt > Date.now()) return found.payload
    memory.delete(key)
    return undefined
  }

  const findBy = (model: string, member: 'uid' | 'userCode', value: string): AdapterPayload | undefined => {
    for (const [key, { payload }] of memory) {
      if (key.startsWith(`${model} `) && payload[member] === value) return recall(key)
    }
    return undefined
  }

  return (model) => (KEPT.includes(model) ? keptAdapter(state, model) : inMemory(model))

  function inMemory(model: string): Adapter {
    const keyOf = (id: string): string => `${model} ${id}`
    return {
      upsert: async (id, payload, expiresIn) => remember(keyOf(id), payload, expiresIn),
      find: async (id) => recall(keyOf(id)),
      findByUid: async (uid) => findBy(model, 'uid', uid),
      findByUserCode: async (userCode) => findBy(model, 'userCode', userCode),
      consume: async (id) => {
        const payload = recall(keyOf(id))
        if (payload) payload.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async (id) => void memory.delete(keyOf(id)),
      revokeByGrantId: async (grantId) => {
        for (const [key, { payload }] of memory) if (payload.grantId === grantId) memory.delete(key)
      },
    }
  }
}

function keptAdapter(state: ProviderStateFile, model: string): Adapter {
  const all = (): Readonly<Record<string, Stored>> => state.current().kept[model] ?? {}
  const find = (id: string): AdapterPayload | undefined => {
    const found = Object.hasOwn(all(), id) ? all()[id] : undefined
    return found && ({ ...found } as AdapterPayload)
  }
  return {
    upsert: async (id, payload) => {
      if (find(id) === undefined && Object.keys(all()).length >= MAX_KEPT) throw new Error('too many clients')
      await state.update((now) => ({
        ...now,
        kept: { ...now.kept, [model]: { ...now.kept[model], [id]: withoutSecret(payload) } },
      }))
    },
    find: async (id) => find(id),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: async () => {},
    destroy: async (id) => {
      await state.update((now) => {
        const { [id]: _, ...others } = now.kept[model] ?? {}
        return { ...now, kept: { ...now.kept, [model]: others } }
      })
    },
    revokeByGrantId: async () => {},
  }
}

/** Replaces the client secret by its digest: the secret is returned once at registration and never stored. */
function withoutSecret(payload: AdapterPayload): Stored {
  const { client_secret: secret } = payload
  return typeof secret === 'string' ? { ...payload, client_secret: digestOfSecret(secret) } : { ...payload }
}
