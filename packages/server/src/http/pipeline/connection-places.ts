import type { Socket } from 'node:net'
import { clientNetwork, findClientSite } from '@countersign/core'
import type { Settings } from '../../platform/settings/index.ts'

/** The connections of one IPv4 address or /48 network, each set in the order of the last change between idle and busy. */
interface Holder {
  readonly name: string
  readonly idle: Set<Place>
  readonly busy: Set<Place>
}

/** An open connection. Those of trusted proxies have no holder. */
export interface Place {
  readonly network: string
  readonly holder: Holder | undefined
  socket: Socket
  requests: number
}

/** One /48 network can hold this part of all places. */
const PARTS_OF_SITE = 4
/** A holder of more than this part of all places loses connections with a request in progress before others lose idle ones. */
const PARTS_OF_LARGE_HOLDER = 100
/** Bounds the work for a connection when all places are taken by busy connections of small holders. */
const HOLDERS_LOOKED_AT = 100

/**
 * Counts open connections. When all places are taken, a connection of the largest holder is closed for a client whose network holds fewer,
 * so that few networks cannot keep all others out.
 */
export class ConnectionPlaces {
  readonly #max: number
  readonly #maxOfNetwork: number
  readonly #maxOfSite: number
  #open = 0
  readonly #networks = new Map<string, number>()
  readonly #holders = new Map<string, Holder>()
  /** The holders of n connections at index n, so that the largest is found without a search. */
  readonly #bySize: Set<Holder>[] = [new Set()]

  constructor(http: Pick<Settings['http'], 'maxConnections' | 'maxConnectionsPerAddress'>) {
    this.#max = http.maxConnections
    this.#maxOfNetwork = http.maxConnectionsPerAddress || Number.POSITIVE_INFINITY
    this.#maxOfSite = Math.max(this.#maxOfNetwork, Math.floor(http.maxConnections / PARTS_OF_SITE))
  }

  /** Undefined when the connection is over a limit. Release the place when the connection is closed. */
  take(socket: Socket, address: string): Place | undefined {
    const network = clientNetwork(address)
    const site = findClientSite(address)
    const held = this.#networks.get(network) ?? 0
    const holder = this.#holders.get(site ?? network) ?? { name: site ?? network, idle: new Set(), busy: new Set() }
    const size = sizeOf(holder)
    if (held >= this.#maxOfNetwork || (site !== undefined && size >= this.#maxOfSite)) return undefined
    if (this.#open >= this.#max && !this.#makeRoom(size)) return undefined
    const place = { network, holder, socket, requests: 0 }
    this.#open++
    this.#networks.set(network, held + 1)
    this.#holders.set(holder.name, holder)
    holder.idle.add(place)
    this.#move(holder, size)
    return place
  }

  /** A place for a connection of a trusted proxy, which counts only in the total. */
  takeForProxy(socket: Socket): Place | undefined {
    if (this.#open >= this.#max && !this.#makeRoom(0)) return undefined
    this.#open++
    return { network: '', holder: undefined, socket, requests: 0 }
  }

  begin(place: Place): void {
    if (place.requests++ === 0 && place.holder?.idle.delete(place)) place.holder.busy.add(place)
  }

  end(place: Place): void {
    if (--place.requests === 0 && place.holder?.busy.delete(place)) place.holder.idle.add(place)
  }

  release(place: Place): void {
    const { holder, network } = place
    if (!holder) {
      this.#open--
      return
    }
    const size = sizeOf(holder)
    if (!holder.idle.delete(place) && !holder.busy.delete(place)) return
    this.#open--
    const left = (this.#networks.get(network) ?? 1) - 1
    if (left === 0) this.#networks.delete(network)
    else this.#networks.set(network, left)
    if (size === 1) this.#holders.delete(holder.name)
    this.#move(holder, size)
  }

  /** Closes a connection of a holder of more connections than the client has. Returns false without one. */
  #makeRoom(held: number): boolean {
    const place = this.#findLeastUseful(held)
    if (!place) return false
    this.release(place)
    place.socket.destroy()
    return true
  }

  /** The largest holders come first, and of one holder the connection that is idle for longest. */
  #findLeastUseful(held: number): Place | undefined {
    let longestBusy: Place | undefined
    let looked = 0
    for (let size = this.#bySize.length - 1; size > held; size--) {
      for (const { idle, busy } of this.#bySize[size] ?? []) {
        const [unused] = idle
        if (unused) return unused
        const [used] = busy
        if (size > this.#max / PARTS_OF_LARGE_HOLDER) return used
        if (size > held + 1) longestBusy ??= used
        if (++looked === HOLDERS_LOOKED_AT) return longestBusy
      }
    }
    return longestBusy
  }

  #move(holder: Holder, from: number): void {
    const to = sizeOf(holder)
    this.#bySize[from]?.delete(holder)
    if (to > 0) {
      this.#bySize[to] ??= new Set()
      this.#bySize[to].add(holder)
    }
    while (this.#bySize.length > 1 && this.#bySize.at(-1)?.size === 0) this.#bySize.pop()
  }
}

function sizeOf({ idle, busy }: Holder): number {
  return idle.size + busy.size
}
