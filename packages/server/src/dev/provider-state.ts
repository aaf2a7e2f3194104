import { readFile } from 'node:fs/promises'
import { newSecret } from '@countersign/core'
import { OWNER_ONLY, writeFileAtomically } from '../platform/keys/write-file-atomically.ts'
import { StartupError } from '../platform/startup-error.ts'
import { createProviderKeys, type ProviderKey } from './provider-keys.ts'

/** The state of the local provider, stored across restarts. */
export interface ProviderState {
  /** Never changes, because tokens and provider records contain it. 0 until the first start. */
  readonly port: number
  /** The initial access token for client registration. */
  readonly registrationToken: string
  readonly cookieKey: string
  /** Key generations, newest first. The previous ones stay in the key set until the next rotation. */
  readonly keys: readonly (readonly ProviderKey[])[]
  /** By model of `oidc-provider`, then by id. */
  readonly kept: Readonly<Record<string, Readonly<Record<string, Stored>>>>
  /** What the first start has created. Deleted parts are not created again. */
  readonly demo: DemoState
}

export interface DemoState {
  readonly people: boolean
  readonly signer: boolean
  /** Absent in the state of an earlier release. */
  readonly channels?: boolean
  /** The SCIM token of the signer; absent in the state of an earlier release. */
  readonly scimToken?: string
  /** The audience last written to the hosted-platform record. */
  readonly audience: string | null
  /** Ids of the API accounts, by provider kind. */
  readonly accounts: Readonly<Record<string, string>>
}

export type Stored = Readonly<Record<string, unknown>>

export interface ProviderStateFile {
  current(): ProviderState
  /** Changes the state. Resolves when the change is on disk. */
  update(change: (state: ProviderState) => ProviderState): Promise<void>
}

/** Reads the state, or creates it. Throws StartupError when the file cannot be used. */
export async function openProviderState(path: string): Promise<ProviderStateFile> {
  const found = await load(path)
  let state = found ?? (await firstState())
  let writing: Promise<void> = Promise.resolve()
  const save = (): Promise<void> => {
    const next = writing.then(() => writeFileAtomically(path, `${JSON.stringify(state)}\n`, OWNER_ONLY))
    writing = next.catch(() => {})
    return next
  }
  if (!found) await save()
  return {
    current: () => state,
    update: (change) => {
      state = change(state)
      return save()
    },
  }
}

async function load(path: string): Promise<ProviderState | undefined> {
  try {
    const state: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (isProviderState(state)) return state
    throw new TypeError('members are missing')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    const hint = 'delete the file to reset the local provider; its API accounts then need new credentials'
    throw new StartupError(`${path} does not contain the state of the local identity provider`, hint, { cause: error })
  }
}

/** Checks that all members exist. Their content is not checked, because only this provider writes the file. */
function isProviderState(state: unknown): state is ProviderState {
  if (typeof state !== 'object' || state === null) return false
  const { port, registrationToken, cookieKey, keys, kept, demo } = state as Partial<ProviderState>
  const hasTexts = typeof registrationToken === 'string' && typeof cookieKey === 'string'
  const hasParts = typeof kept === 'object' && typeof demo === 'object' && Array.isArray(keys) && keys.length > 0
  return Number.isInteger(port) && hasTexts && hasParts
}

async function firstState(): Promise<ProviderState> {
  return {
    port: 0,
    registrationToken: newSecret(),
    cookieKey: newSecret(),
    keys: [await createProviderKeys()],
    kept: {},
    demo: { people: false, signer: false, audience: null, accounts: {} },
  }
}
