import type { FeedConnection, FeedListener } from '../../src/store/postgres/change-feed.ts'
import type { Notification } from '../../src/store/postgres/notification.ts'
import type { Link } from './link.ts'
import type { Random } from './random.ts'
import type { SharedDatabase } from './shared-database.ts'

/** The driver's time limit on the connection that listens. */
const TIMEOUT_MS = 2_000
/** How much later than the reply to a request the server may send a notification. */
const MAX_SERVER_DELAY_MS = 20

interface NotifierOptions {
  readonly database: SharedDatabase
  readonly random: Random
  /** The part of notifications that are lost although their connection works. */
  readonly lossRate: number
}

/** The notifications of the shared database. */
export class Notifier {
  readonly #options: NotifierOptions
  readonly #listening = new Set<(notification: Notification) => void>()
  /** A standby refuses writes, and tells those who listen. */
  isStandby = false

  constructor(options: NotifierOptions) {
    this.#options = options
  }

  /** Sends a notification to every connection, as the commit of the changes does. */
  notify(notification: Notification): void {
    for (const send of this.#listening) send(notification)
  }

  /** Opens a connection over a link. Its notifications arrive in the order of the commits. */
  async connect(link: Link, { onNotification, onLost }: FeedListener): Promise<FeedConnection> {
    const { database, random, lossRate } = this.#options
    let isOpen = true
    let lastAt = 0
    const close = (): void => {
      isOpen = false
      this.#listening.delete(send)
    }
    const send = (notification: Notification): void => {
      if (random.isTrue(lossRate)) return
      const sentAt = link.now + random.between(0, MAX_SERVER_DELAY_MS)
      lastAt = link.send(() => isOpen && onNotification(notification), Math.max(lastAt, sentAt))
    }
    const forget = link.onReset(() => {
      close()
      onLost()
    })
    const end = async (): Promise<void> => {
      forget()
      close()
    }
    try {
      await link.request(async () => void (isOpen && this.#listening.add(send)), TIMEOUT_MS)
    } catch (error) {
      await end()
      throw error
    }
    return {
      newest: () =>
        link.request(async () => {
          if (this.isStandby) throw new Error('the database is a standby now')
          return database.newest()
        }, TIMEOUT_MS),
      findEntries: (numbers) => link.request(() => database.findEntries(numbers), TIMEOUT_MS),
      end,
    }
  }
}
