import type { AuthorizedTransaction } from '../../store/operation.ts'

/** The actor as the writer of a signer, with its name at the time of the write. */
export function writerOf({ actor, source }: AuthorizedTransaction) {
  return { id: actor.id, name: source?.authorName ?? actor.id, isAdmin: actor.isAdmin }
}
