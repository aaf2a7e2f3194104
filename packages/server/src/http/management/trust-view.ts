import type { Trust } from '@countersign/core'
import { timestamp } from '../pipeline/envelope.ts'

/** The trust in an entity, as the contract describes it. */
export function trustView({ isTrusted, writtenById: id, writtenByName: name, writtenAt }: Trust) {
  return {
    state: isTrusted ? 'trusted' : 'untrusted',
    writtenBy: id === null ? null : { id, name },
    writtenAt: timestamp(writtenAt),
  }
}
