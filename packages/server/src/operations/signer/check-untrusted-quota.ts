import { AppError, type SignerSettings } from '@countersign/core'
import type { AuthorizedTransaction } from '../../store/operation.ts'
import {
  countUntrustedOf,
  type SignerLengths,
  sumUntrustedSigners,
  type TrustedTable,
} from '../../store/reads/untrusted-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'

/** Each process has all signers in memory and shows the enabled ones to strangers in one list, and reads the certificates of CAs together. */
const MAX_UNTRUSTED = 200

const WORDS: Readonly<Record<TrustedTable, string>> = { ext_jwt_signers: 'signers', cas: 'third-party CAs' }

/**
 * Checks that an actor that is no administrator may add a signer or a third-party CA, which will not be trusted. Fails with COULD_NOT_VALIDATE when 200 that it wrote last
 * are not trusted. Those that an administrator trusts do not count.
 */
export async function checkUntrustedQuota({ db, actor }: AuthorizedTransaction, table: TrustedTable): Promise<void> {
  if (actor.isAdmin || (await countUntrustedOf(db, table, actor.id, MAX_UNTRUSTED)) < MAX_UNTRUSTED) return
  const message = `at most ${MAX_UNTRUSTED} ${WORDS[table]} that one caller wrote last can be without the trust of an administrator: delete some, or have some trusted`
  throw new AppError('COULD_NOT_VALIDATE', { message })
}

/** A character of a rule takes a hundred bytes of each process when it is compiled. */
const MAX_LENGTHS: SignerLengths = { rules: 65_536, texts: 4_194_304 }

const LENGTH_WORDS: Readonly<Record<keyof SignerLengths, string>> = {
  rules: 'rules',
  texts: 'certificates, keys, test cases, required claims and tags',
}

/**
 * Checks the size of a signer that an actor that is no administrator writes, if it then counts among the untrusted signers that the actor wrote last. Fails with
 * COULD_NOT_VALIDATE when it grows, and these have too much together.
 */
export async function checkUntrustedLengths(
  { db, actor }: AuthorizedTransaction,
  id: string,
  current: StoredSigner | undefined,
  { next, isSecurityWrite }: { readonly next: SignerSettings; readonly isSecurityWrite: boolean },
): Promise<void> {
  const isCounted = current !== undefined && !current.trust.isTrusted && current.trust.writtenById === actor.id
  if (actor.isAdmin || !(isCounted || isSecurityWrite)) return
  const before = isCounted ? lengthsOf(current) : { rules: 0, texts: 0 }
  const after = lengthsOf(next)
  const others = await sumUntrustedSigners(db, { writerId: actor.id, exceptId: id })
  for (const kind of ['rules', 'texts'] as const) {
    if (after[kind] <= before[kind] || others[kind] + after[kind] <= MAX_LENGTHS[kind]) continue
    const message = `the ${LENGTH_WORDS[kind]} of the signers that one caller wrote last, and that no administrator trusts, can have at most ${MAX_LENGTHS[kind]} characters together`
    throw new AppError('COULD_NOT_VALIDATE', { message })
  }
}

function lengthsOf(signer: SignerSettings): SignerLengths {
  const { acceptRule, attributeRules, testCases, requiredClaims, jwks, jwksCaPem, certPem, certPems, tags } = signer
  return {
    rules: lengthOf([acceptRule, attributeRules]),
    texts: lengthOf([testCases, requiredClaims, jwks, jwksCaPem, certPem, certPems, tags]),
  }
}

function lengthOf(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + (value === null ? 0 : JSON.stringify(value).length), 0)
}
