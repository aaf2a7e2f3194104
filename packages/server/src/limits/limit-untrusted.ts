import type { Trust } from '@countersign/core'
import type { AttemptLimits } from './attempt-limits.ts'

/**
 * Runs what a token of a signer or a certificate of a third-party CA changes or leaves in the store. Of one that is not trusted it is counted first: the
 * caller who wrote it last chooses what it issues. Throws TooManyRequests. Not counted among that caller's own changes, and given back when it fails: others
 * with such credentials could use it up. `run` is given the name under which it is counted, for operations that record states.
 */
export async function limitUntrusted<Result>(
  { change }: Pick<AttemptLimits, 'change'>,
  { id, trust }: { readonly id: string; readonly trust: Trust },
  run: (countedAs?: string) => Promise<Result>,
): Promise<Result> {
  if (trust.isTrusted) return run()
  const countedAs = `${trust.writtenById ?? id} credentials`
  const attempt = change.begin(countedAs)
  try {
    return await run(countedAs)
  } catch (error) {
    attempt.giveBack()
    throw error
  }
}
