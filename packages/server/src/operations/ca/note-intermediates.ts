import { type AuthorityCertificate, certificateDigests, formatPem, nameDigest } from '@countersign/core'
import type { Clock } from '../../platform/clock.ts'
import { SYSTEM_ACTOR } from '../../store/actor.ts'
import { operation } from '../../store/operation.ts'
import { type CaIntermediate, findCa, findKnownIntermediates } from '../../store/reads/ca-reads.ts'
import type { Store } from '../../store/store.ts'
import { insertCaIntermediates } from '../../store/writes/ca-writes.ts'
import type { IssuingCa } from '../../token/third-party-cas.ts'

export interface NoteIntermediates {
  readonly id: string
  readonly intermediates: readonly CaIntermediate[]
}

/** Stores certificates that stand between a CA and one that was accepted. */
export const noteIntermediates = operation({
  name: 'ca.noteIntermediates',
  access: 'none',
  target: 'cas',
  isRecorded: false,
  async run(tx, { id, intermediates }: NoteIntermediates): Promise<void> {
    if (await findCa(tx.db, id)) await insertCaIntermediates(tx, id, intermediates)
  },
})

/**
 * Stores the certificates between a CA and an accepted one, unless they are stored. The client has sent them, but it can resume the connection on
 * any worker, and a resumed one has only the client's own certificate.
 */
export async function noteNewIntermediates(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { ca: { id }, path }: IssuingCa,
): Promise<void> {
  if (path.length === 0) return
  const sent = path.map(intermediateOf)
  const fingerprints = sent.map(({ fingerprint }) => fingerprint)
  const known = await findKnownIntermediates(store.db, id, fingerprints)
  const intermediates = sent.filter(({ fingerprint }) => !known.has(fingerprint))
  if (intermediates.length === 0) return
  await store.run(noteIntermediates, { id, intermediates }, { actorId: SYSTEM_ACTOR.id, now: clock.now() })
}

function intermediateOf({ parsed }: AuthorityCertificate): CaIntermediate {
  return {
    fingerprint: certificateDigests(parsed).fingerprint,
    subjectDigest: nameDigest(parsed.subject),
    certPem: formatPem('CERTIFICATE', parsed.der),
  }
}
