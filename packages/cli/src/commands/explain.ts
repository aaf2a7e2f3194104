import type { TestCase } from '@countersign/contract/signer-test-case'
import { testCaseOfToken } from '@countersign/contract/token-test-case'
import type { Explanation } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { loadTextArgument } from '../files/load-text-file.ts'
import { printExplanation } from '../output/print-explanation.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { addTestCase } from '../resources/add-test-case.ts'
import { CALL_FLAGS } from '../session/call-flags.ts'
import { withController } from '../session/with-controller.ts'

/** `countersign explain`: why a token is accepted or refused. */
export const explain: Command = {
  args: ['FILE'],
  flags: [
    ...CALL_FLAGS,
    { name: 'enroll', description: 'Check it as a token for enrollment instead of login' },
    { name: 'add-test-case', description: 'Add its claims to the test cases of its signer, with this result' },
  ],
  details: ['FILE contains the token; - is stdin. Exit status: 0 the token is accepted, 4 it is refused.'],
  examples: [
    { command: 'countersign explain token.txt', description: 'explain why this token is refused' },
    { command: 'get-token | countersign explain -', description: 'explain the token that a program prints' },
    {
      command: 'countersign explain token.txt --add-test-case',
      description: 'let every save of the signer check that it stays accepted or refused',
    },
  ],
  async run(call) {
    const token = (await loadTextArgument(call, call.args[0] ?? '-')).trim()
    if (token === '') throw usageError('there is no token', 'name a file that contains the token, or - for stdin')
    const method = call.flags.enroll === true ? 'enroll' : 'ext-jwt'
    const result = await withController(call, async (client) => {
      const explanation = await client.signers.explain(token, { method })
      const names = new Map<string, string>()
      for (const { signerId } of explanation.signers) names.set(signerId, (await client.signers.get(signerId)).name)
      if (call.flags['add-test-case'] === true) {
        const { signerId, testCase } = toTestCase(token, explanation)
        await addTestCase(client, signerId, testCase)
        call.terminal.note(`added to the test cases of ${names.get(signerId)}: ${testCase.name}`)
      }
      return { explanation, names }
    })
    if (getFormat(call) !== 'table')
      await printData(call, result.explanation, ({ identity }: Explanation) => identity?.name)
    else {
      const works = result.explanation.missing.length === 0
      call.terminal.out([works ? ['green', '✔ this token works'] : ['red', '✘ this token is refused']])
      printExplanation(call, result.explanation, result.names)
    }
    return result.explanation.missing.length === 0 ? EXIT.ok : EXIT.refused
  },
}

function toTestCase(
  token: string,
  { signers }: Explanation,
): { readonly signerId: string; readonly testCase: TestCase } {
  const [signer] = signers
  const [header, claims] = token.split('.').map(decodePart)
  const testCase = signer && header && claims && testCaseOfToken({ header, claims }, signer, new Date())
  if (signer && testCase) return { signerId: signer.signerId, testCase }
  throw new CliError('this token cannot become a test case', {
    hint: 'a signer must have its issuer and audience, and have verified its signature: see countersign explain FILE',
  })
}

function decodePart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
