import { operation } from '../../store/operation.ts'

/** Records the events of its meta. */
export const recordEvents = operation({
  name: 'event.record',
  access: 'none',
  needsWriteLock: false,
  isRecorded: false,
  run: async (): Promise<void> => {},
})
