import type { Explanation } from '@countersign/sdk'
import { EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { loadTextArgument } from '../files/load-text-file.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { CALL_FLAGS } from '../session/call-flags.ts'
import { withController } from '../session/with-controller.ts'

/** `countersign explain`: why a token is refused, in words. */
export const explain: Command = {
  args: ['FILE'],
  flags: [...CALL_FLAGS, { name: 'enroll', description: 'Judge it as a token to enroll with, not to sign in with' }],
  details: ['FILE holds the token; - is stdin. Status 0: the token works. Status 4: it does not.'],
  examples: [
    { command: 'countersign explain token.txt', says: 'why is this token refused?' },
    { command: 'get-token | countersign explain -', says: 'the same of a token that a program prints' },
  ],
  async run(call) {
    const token = (await loadTextArgument(call, call.args[0] ?? '-')).trim()
    if (token === '') throw usageError('there is no token', 'give a file that holds the token, or - for stdin')
    const method = call.flags.enroll === true ? 'enroll' : 'ext-jwt'
    const verdict = await withController(call, async (client) => {
      const explanation = await client.signers.explain(token, { method })
      const names = new Map<string, string>()
      for (const { signerId } of explanation.signers) names.set(signerId, (await client.signers.get(signerId)).name)
      return { explanation, names }
    })
    if (getFormat(call) !== 'table') await printData(call, verdict.explanation)
    else printVerdict(call, verdict.explanation, verdict.names)
    return verdict.explanation.missing.length === 0 ? EXIT.ok : EXIT.refused
  },
}

function printVerdict({ terminal }: Call, explanation: Explanation, names: ReadonlyMap<string, string>): void {
  const { signers, identity, policy, missing, hints } = explanation
  if (missing.length === 0) terminal.out([['green', '✔ this token works']])
  else terminal.out([['red', '✘ this token is refused']])
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
  if (identity) terminal.out(`\nidentity ${identity.name}${identity.disabled ? ', which is disabled' : ''}`.trimStart())
  if (policy) terminal.out(`policy ${policy.name}`)
  if (missing.length > 0) terminal.out('')
  for (const one of missing) terminal.out([['red', 'missing: '], one])
  for (const hint of hints) terminal.out([['cyan', 'hint: '], hint])
}

function show(value: unknown): string {
  return value === null || value === undefined
    ? 'nothing'
    : typeof value === 'string'
      ? `"${value}"`
      : JSON.stringify(value)
}
