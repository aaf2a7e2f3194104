import { clientNetwork, createLruCache } from '@countersign/core'
import type { AttemptSharing } from './attempt-sharing.ts'

const MAX_KNOWN = 20_000
const KNOWN = 'known network'

/** Whether the account itself has logged in from a network, another account has, or none. */
export type Standing = 'account' | 'network' | 'stranger'

/** Networks from which a correct password was sent, in memory. Only that makes a network known, so wrong passwords evict none. */
export class KnownNetworks {
  readonly #sharing: AttemptSharing | undefined
  readonly #known = createLruCache<string, true>(MAX_KNOWN)

  constructor(sharing?: AttemptSharing) {
    this.#sharing = sharing
    sharing?.onNoted(KNOWN, (name) => this.#known.set(name, true))
  }

  /** Whether any account has logged in from the network of this address. */
  isKnown(address: string): boolean {
    return this.#known.get(clientNetwork(address)) === true
  }

  /** Whether this account has logged in from the network of this address. */
  isKnownTo(account: string, address: string): boolean {
    return this.#known.get(nameOf(account, address)) === true
  }

  /** Without an account that has the name, at most `network`: its former owner may have logged in by it. */
  standingOf(account: string | undefined, address: string): Standing {
    if (account !== undefined && this.isKnownTo(account, address)) return 'account'
    return this.isKnown(address) ? 'network' : 'stranger'
  }

  note(account: string, address: string): void {
    for (const name of [clientNetwork(address), nameOf(account, address)]) {
      if (this.#known.get(name)) continue
      this.#sharing?.note(KNOWN, name, 1)
      this.#known.set(name, true)
    }
  }
}

function nameOf(account: string, address: string): string {
  return `${clientNetwork(address)} ${account}`
}
