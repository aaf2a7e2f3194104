import { operation } from '../../store/operation.ts'
import { setUnreadExpiries } from '../../store/writes/authenticator-writes.ts'

const BATCH = 200

/** Notes when the certificates that earlier releases have stored expire. Returns whether there may be more. */
export const noteExpiries = operation({
  name: 'authenticator.noteExpiries',
  access: 'none',
  needsWriteLock: false,
  async run(tx): Promise<boolean> {
    return (await setUnreadExpiries(tx, BATCH)) === BATCH
  },
})
