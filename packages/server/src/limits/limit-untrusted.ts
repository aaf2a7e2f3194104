import type { Trust } from '@countersign/core'
import type { AttemptLimits } from './attempt-limits.ts'

/**
 * Runs what a token of a signer or a certificate of a third-party CA changes or leaves in the store. Of one that is not trusted it is counted first: the
 * caller who wrote it last chooses what it issues. Throws TooManyRequests. Not counted among that caller's own changes, and given back when it fails: others
 * with such credentials could use it up.
 */
export async function limitUntrusted<Result>(
  { change }: Pick<AttemptLimits, 'change'>,
  { id, trust }: { readonly id: string; readonly trust: Trust },
  run: () => Promise<Result>,
): Promise<Result> {
  if (trust.isTrusted) return run()
  const attempt = change.begin(`${trust.writtenById ?? id} credentials`)
  try {
    return await run()
  } catch (error) {
    attempt.giveBack()
    throw error
  }
}
