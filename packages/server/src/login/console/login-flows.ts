import { AppError, BoundedCache, newSecret } from '@countersign/core'
import type { Clock } from '../../platform/clock.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'

/** A sign-in at a provider that a browser was sent to and has not come back from. */
export interface LoginFlow {
  readonly signerId: string
  /** The signer's, so that a browser does not come back to another provider than it was sent to. */
  readonly revision: number
  readonly nonce: string
  readonly verifier: string
  readonly redirectUri: string
  /** Where in the console it goes on. */
  readonly next: string
  /** The token of the session that lacks the provider's token as second factor; undefined for a new session. */
  readonly sessionToken?: string | undefined
}

export interface LoginFlows {
  /** The `state` of a new flow, and the value of the cookie that keeps it: sealed, so that nobody reads or changes it. */
  begin(flow: LoginFlow): { readonly state: string; readonly cookie: string }
  /** The flow of a state, for ten minutes, once, and only for the browser that began it. */
  take(state: string, cookie: string | undefined): LoginFlow | undefined
}

export const FLOW_SECONDS = 600
const USE = 'console-login'
const MAX_USED = 10_000

interface Kept {
  readonly state: string
  readonly endsAt: number
  readonly flow: LoginFlow
}

/**
 * Flows are kept by the browsers themselves, sealed: however many strangers begin one, it takes no memory here, and every process and node
 * can go on with it. That a code is good once is the provider's promise; a process remembers the flows that it has ended besides.
 */
export function createLoginFlows({ clock, sealing }: { readonly clock: Clock; readonly sealing: Sealing }): LoginFlows {
  const used = new BoundedCache<string, true>(MAX_USED)

  const open = (cookie: string): Kept | undefined => {
    try {
      return JSON.parse(sealing.open(cookie, USE)) as Kept
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  return {
    begin: (flow) => {
      const state = newSecret()
      const kept: Kept = { state, endsAt: clock.now() + FLOW_SECONDS * 1000, flow }
      return { state, cookie: sealing.seal(JSON.stringify(kept), USE) }
    },
    take: (state, cookie) => {
      const kept = cookie === undefined ? undefined : open(cookie)
      if (!kept || kept.state !== state || kept.endsAt <= clock.now() || used.get(state)) return undefined
      used.set(state, true)
      return kept.flow
    },
  }
}
