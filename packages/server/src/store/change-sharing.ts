import { type Change, withoutDetails } from './change.ts'

/** Exchanges changes between the processes of one node: a change holds for all of them before its request is answered. */
export interface ChangeSharing {
  /** Resolves when the other processes have received the changes. Never rejects. */
  announce(changes: readonly Change[]): Promise<void>
  /** Registers a listener for changes of other processes. */
  onAnnounced(listener: (changes: readonly Change[]) => void): void
}

export interface SharedChanges extends ChangeSharing {
  /** Receives the changes of another process. */
  receive(changes: readonly Change[]): void
}

/** `send` resolves when the other processes have received the changes. */
export function createSharedChanges(send: (changes: readonly Change[]) => Promise<void>): SharedChanges {
  const listeners: ((changes: readonly Change[]) => void)[] = []
  return {
    announce: async (changes) => {
      const announced = changes.filter(isCached).map(withoutDetails)
      // Without a primary process this one ends too.
      if (announced.length > 0) await send(announced).catch(() => {})
    },
    onAnnounced: (listener) => void listeners.push(listener),
    receive: (changes) => {
      for (const listener of listeners) listener(changes)
    },
  }
}

/** No process has cached a new session, and logins are frequent. */
function isCached({ entity, action }: Change): boolean {
  return entity !== 'apiSessions' || action !== 'created'
}
