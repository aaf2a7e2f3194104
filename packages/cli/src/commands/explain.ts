import type { Explanation } from '@countersign/sdk'
import { EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { loadTextArgument } from '../files/load-text-file.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { CALL_FLAGS } from '../session/call-flags.ts'
import { withController } from '../session/with-controller.ts'

/** `countersign explain`: why a token is accepted or refused. */
export const explain: Command = {
  args: ['FILE'],
  flags: [...CALL_FLAGS, { name: 'enroll', description: 'Check it as a token for enrollment instead of login' }],
  details: ['FILE contains the token; - is stdin. Exit status: 0 the token is accepted, 4 it is refused.'],
  examples: [
    { command: 'countersign explain token.txt', description: 'explain why this token is refused' },
    { command: 'get-token | countersign explain -', description: 'explain the token that a program prints' },
  ],
  async run(call) {
    const token = (await loadTextArgument(call, call.args[0] ?? '-')).trim()
    if (token === '') throw usageError('there is no token', 'name a file that contains the token, or - for stdin')
    const method = call.flags.enroll === true ? 'enroll' : 'ext-jwt'
    const result = await withController(call, async (client) => {
      const explanation = await client.signers.explain(token, { method })
      const names = new Map<string, string>()
      for (const { signerId } of explanation.signers) names.set(signerId, (await client.signers.get(signerId)).name)
      return { explanation, names }
    })
    if (getFormat(call) !== 'table') await printData(call, result.explanation)
    else printExplanation(call, result.explanation, result.names)
    return result.explanation.missing.length === 0 ? EXIT.ok : EXIT.refused
  },
}

function printExplanation({ terminal }: Call, explanation: Explanation, names: ReadonlyMap<string, string>): void {
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
