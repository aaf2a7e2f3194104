import { describeCause } from '@countersign/core'
import type { Revocation } from '../store/reads/token-revocation-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import { quoted } from './quoted.ts'

/** Tells the administrator why a revoked token is refused. */
export function revokedText({ name }: Pick<StoredSigner, 'name'>, revocation: Revocation | undefined): string {
  const { revokedAt = 0, cause = '' } = revocation ?? {}
  return `a token that was issued after ${new Date(revokedAt).toISOString()}: a ${describeCause(cause)} of the signer ${quoted(name)} revoked this one`
}
