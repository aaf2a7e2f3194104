import { AppError } from '@countersign/core'
import type { AuthorizedTransaction } from '../../store/operation.ts'
import { countUntrustedOf, type TrustedTable } from '../../store/reads/untrusted-reads.ts'

/** Each process has all signers in memory and shows the enabled ones to strangers in one list, and reads the certificates of CAs together. */
const MAX_UNTRUSTED = 200

const WORDS: Readonly<Record<TrustedTable, string>> = { ext_jwt_signers: 'signers', cas: 'third-party CAs' }

/**
 * Checks that a caller who is no administrator may add a signer or a third-party CA, which will not be trusted. Fails with COULD_NOT_VALIDATE when 200 that it wrote last
 * are not trusted. Those that an administrator trusts do not count.
 */
export async function checkUntrustedQuota({ db, actor }: AuthorizedTransaction, table: TrustedTable): Promise<void> {
  if (actor.isAdmin || (await countUntrustedOf(db, table, actor.id, MAX_UNTRUSTED)) < MAX_UNTRUSTED) return
  const message = `at most ${MAX_UNTRUSTED} ${WORDS[table]} that one caller wrote last can be without the trust of an administrator: delete some, or have some trusted`
  throw new AppError('COULD_NOT_VALIDATE', { message })
}
