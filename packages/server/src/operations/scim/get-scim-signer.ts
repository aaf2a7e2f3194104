import { AppError } from '@countersign/core'
import { findScimTokenSigner } from '../../store/reads/scim-token-reads.ts'
import { findSigner } from '../../store/reads/signer-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Transaction } from '../../store/transaction.ts'

/** The token of a SCIM request, which has been compared with its digest. */
export interface ScimSource {
  readonly signerId: string
  readonly tokenId: string
}

/** The signer of a request, read in the transaction that writes. Fails with UNAUTHORIZED without the token, and with FORBIDDEN while SCIM is off. */
export async function getScimSigner({ db }: Transaction, { signerId, tokenId }: ScimSource): Promise<StoredSigner> {
  const signer = await findSigner(db, signerId)
  if (!signer || (await findScimTokenSigner(db, tokenId)) !== signerId) throw new AppError('UNAUTHORIZED')
  if (!signer.enabled || !signer.trust.isTrusted) throw new AppError('FORBIDDEN', { message: SCIM_OFF })
  return signer
}

export const SCIM_OFF = 'this signer accepts no SCIM requests: it is disabled or not trusted'
