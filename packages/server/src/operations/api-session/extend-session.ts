import { operation } from '../../store/operation.ts'
import { setSessionExpiry } from '../../store/writes/api-session-writes.ts'

/** Writes down that a session was used, and until when it lives now. */
export const extendSession = operation({
  name: 'apiSession.touch',
  access: 'none',
  takesTurns: false,
  async run(tx, { id, expiresAt }: { readonly id: string; readonly expiresAt: number }): Promise<void> {
    await setSessionExpiry(tx, id, expiresAt)
  },
})
