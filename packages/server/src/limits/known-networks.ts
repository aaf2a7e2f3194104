import { clientNetwork, createLruCache } from '@countersign/core'
import type { AttemptSharing } from './attempt-sharing.ts'

const MAX_KNOWN = 20_000
const KNOWN = 'known network'

/** Whether the identity itself has logged in from a network, another one has, or none. */
export type Standing = 'account' | 'network' | 'stranger'

/**
 * Networks from which a correct password was sent, in memory, by identity: a user name can pass to another one. Only that makes a network known,
 * so wrong passwords evict none.
 */
export class KnownNetworks {
  readonly #sharing: AttemptSharing | undefined
  readonly #known = createLruCache<string, true>(MAX_KNOWN)

  constructor(sharing?: AttemptSharing) {
    this.#sharing = sharing
    sharing?.onNoted(KNOWN, (name) => this.#known.set(name, true))
  }

  /** Whether any identity has logged in from the network of this address. */
  isKnown(address: string): boolean {
    return this.#known.get(clientNetwork(address)) === true
  }

  /** Whether this identity has logged in from the network of this address. */
  isKnownTo(identityId: string | undefined, address: string): boolean {
    return identityId !== undefined && this.#known.get(nameOf(identityId, address)) === true
  }

  /** Without an identity that has the user name, at most `network`. */
  standingOf(identityId: string | undefined, address: string): Standing {
    if (this.isKnownTo(identityId, address)) return 'account'
    return this.isKnown(address) ? 'network' : 'stranger'
  }

  note(identityId: string, address: string): void {
    for (const name of [clientNetwork(address), nameOf(identityId, address)]) {
      if (this.#known.get(name)) continue
      this.#sharing?.note(KNOWN, name, 1)
      this.#known.set(name, true)
    }
  }
}

function nameOf(identityId: string, address: string): string {
  return `${clientNetwork(address)} ${identityId}`
}
