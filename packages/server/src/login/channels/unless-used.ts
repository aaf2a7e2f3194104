import type { EventSource } from '../../operations/provider-channel/find-event-signer.ts'
import { isEventTokenUsed } from '../../store/reads/token-revocation-reads.ts'
import type { Store } from '../../store/store.ts'

/** Runs an operation that uses a verified token, unless the token was used before: anyone who has seen it can send it again without pause. */
export async function unlessUsed<Outcome>(
  { db }: Pick<Store, 'db'>,
  token: EventSource,
  run: () => Promise<Outcome>,
): Promise<Outcome | 'replayed'> {
  return (await isEventTokenUsed(db, token)) ? 'replayed' : run()
}
