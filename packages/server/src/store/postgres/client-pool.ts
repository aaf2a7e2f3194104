import { type ClientOptions, PostgresClient } from './postgres-client.ts'
import type { RunStatement } from './postgres-dialect.ts'

interface PoolOptions extends ClientOptions {
  readonly max: number
  /** Another connection is opened when each of the others has this many statements without a reply. */
  readonly enoughPending: number
  onWarning(message: string): void
}

/** Connections that are opened as they are needed, and again after they were lost. */
export class ClientPool {
  readonly #options: PoolOptions
  readonly #clients = new Set<PostgresClient>()
  readonly #opening = new Set<Promise<PostgresClient>>()
  #isEnded = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Runs a statement on the connection with the fewest statements without a reply, or on a new one. */
  query: RunStatement = (text, values, options) => {
    const client = this.#find()
    // Without waiting, so that the next statement finds this one.
    if (client instanceof PostgresClient) return client.query(text, values, options)
    return client.then((opened) => opened.query(text, values, options))
  }

  /** Resolves to the connection of a pool that has one. Rejects with the driver's error when it cannot be opened. */
  async connect(): Promise<PostgresClient> {
    return this.#find()
  }

  #find(): PostgresClient | Promise<PostgresClient> {
    const { max, enoughPending } = this.#options
    let best: PostgresClient | undefined
    for (const client of this.#clients) if (!best || client.pending < best.pending) best = client
    const isFull = this.#clients.size + this.#opening.size >= max
    if (best && (isFull || best.pending < enoughPending)) return best
    const [opening] = this.#opening
    if (isFull && opening) return opening
    return best ? this.#open().catch(() => best) : this.#open()
  }

  /** Replaces all connections: statements under way continue on the old ones. */
  drop(): void {
    for (const client of this.#clients) client.retire()
    this.#clients.clear()
  }

  async end(): Promise<void> {
    this.#isEnded = true
    const clients = [...this.#clients]
    this.#clients.clear()
    const opened = [...this.#opening].map(async (opening) => (await opening).end())
    await Promise.allSettled([...opened, ...clients.map((client) => client.end())])
  }

  #open(): Promise<PostgresClient> {
    const opening = this.#connect().finally(() => this.#opening.delete(opening))
    this.#opening.add(opening)
    return opening
  }

  async #connect(): Promise<PostgresClient> {
    if (this.#isEnded) throw new Error('Connection terminated: the store is closed')
    let isLost = false
    let client: PostgresClient | undefined
    client = await PostgresClient.connect(this.#options, (error) => {
      isLost = true
      if (client && this.#clients.delete(client))
        this.#options.onWarning(`a database connection was lost: ${error?.message ?? 'it ended'}`)
    })
    if (!isLost && !this.#isEnded) this.#clients.add(client)
    return client
  }
}
