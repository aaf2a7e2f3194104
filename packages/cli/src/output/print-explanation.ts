import type { AuthDecision, Explanation } from '@countersign/sdk'
import type { Call } from '../command.ts'

type Explained = Pick<Explanation | AuthDecision, 'signers' | 'identity' | 'policy' | 'missing' | 'hints'>

/** Prints the checks of each signer, the identity and the policy, and what is missing. `names` are those of signers, by id. */
export function printExplanation({ terminal }: Call, explained: Explained, names: ReadonlyMap<string, string>): void {
  const { signers, identity, policy, missing, hints } = explained
  for (const { signerId, checks, reason } of signers) {
    terminal.out('')
    terminal.out([
      ['bold', `signer ${names.get(signerId) ?? signerId}`],
      ...(reason ? [': ', [checks.every(({ pass }) => pass) ? 'green' : 'red', reason] as const] : []),
    ])
    for (const { check, pass, expected, received } of checks) {
      const mark = pass ? (['green', '  ✔ '] as const) : (['red', '  ✘ '] as const)
      const why = pass ? '' : `: expected ${show(expected)}, got ${show(received)}`
      terminal.out([mark, `${check}${why}`])
    }
  }
  if (identity) {
    terminal.out('')
    terminal.out(`identity ${identity.name}${identity.disabled ? ', which is disabled' : ''}`)
  }
  if (policy) terminal.out(`policy ${policy.name}`)
  if (missing.length > 0) terminal.out('')
  for (const part of missing) terminal.out([['red', 'missing: '], part])
  for (const hint of hints) terminal.out([['cyan', 'hint: '], hint])
}

function show(value: unknown): string {
  return value === null || value === undefined
    ? 'nothing'
    : typeof value === 'string'
      ? `"${value}"`
      : JSON.stringify(value)
}
