import { operation } from '../../store/operation.ts'
import { setResolvedToRoot } from '../../store/writes/authenticator-writes.ts'

export interface NoteChain {
  readonly id: string
  readonly resolvedToRoot: boolean
}

/** Stores whether the latest login by certificate sent the whole chain. Only for display to administrators. */
export const noteChain = operation({
  name: 'authenticator.noteChain',
  access: 'none',
  target: 'authenticators',
  isRecorded: false,
  async run(tx, { id, resolvedToRoot }: NoteChain): Promise<void> {
    await setResolvedToRoot(tx, id, resolvedToRoot)
  },
})
