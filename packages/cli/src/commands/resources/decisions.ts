import type { AuthDecision, ControllerClient } from '@countersign/sdk'
import { CliError, EXIT } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { printExplanation } from '../../output/print-explanation.ts'
import { getFormat, printObject } from '../../output/print-result.ts'
import { addTestCase } from '../../resources/add-test-case.ts'
import { DECISIONS } from '../../resources/kinds.ts'
import { createListCommand } from '../../resources/read-commands.ts'
import { CALL_FLAGS } from '../../session/call-flags.ts'
import { withController } from '../../session/with-controller.ts'

const show: Command = {
  args: ['ID'],
  flags: CALL_FLAGS,
  details: ['The id of a decision is the request id in the error of the refused login.'],
  examples: [
    { command: 'countersign decisions show ID', description: 'every check of a refused login, and what to do' },
    { command: 'countersign decisions show ID -o json', description: 'as JSON' },
  ],
  async run(call) {
    const { decision, names } = await withController(call, async (client) => {
      const decision = await client.authDecisions.get(call.args[0] ?? '')
      return { decision, names: await loadSignerNames(client, decision) }
    })
    const { signers, identity, policy, missing, hints, ...facts } = decision
    if (getFormat(call) !== 'table') await printObject(call, decision)
    else {
      await printObject(call, facts)
      printExplanation(call, { signers, identity, policy, missing, hints }, names)
    }
    return EXIT.ok
  },
}

const testCase: Command = {
  args: ['ID'],
  flags: [...CALL_FLAGS, { name: 'name', value: 'NAME', description: 'The name of the test case' }],
  details: [
    'Adds the claims of a refused login to the test cases of its signer, with what the signer says to them now. The claims must be',
    'kept, which they are while the controller keeps logins and the signature of the token was valid.',
  ],
  examples: [{ command: 'countersign decisions add-test-case ID', description: 'make a test case of a refused login' }],
  async run(call) {
    const added = await withController(call, async (client) => {
      const { signerId, testCase: found } = await client.authDecisions.get(call.args[0] ?? '')
      if (!signerId || !found) {
        throw new CliError('the claims of this login are not kept', {
          hint: 'they are kept when the signature of the token was valid and the setting whatIf.keepLogins is on',
        })
      }
      const added = { ...found, ...(typeof call.flags.name === 'string' && { name: call.flags.name }) }
      await addTestCase(client, signerId, added)
      return added
    })
    await printObject(call, added)
    return EXIT.ok
  },
}

/** A signer can have been deleted since. */
async function loadSignerNames(
  { signers }: ControllerClient,
  { signers: checked }: AuthDecision,
): Promise<ReadonlyMap<string, string>> {
  if (checked.length === 0) return new Map()
  return new Map((await signers.all()).map(({ id, name }) => [id, name]))
}

/** `countersign decisions …` */
export const decisions = {
  list: createListCommand(DECISIONS, [
    {
      command: 'countersign decisions list --filter \'reason = "unknown-identity"\' --limit 20',
      description: 'the newest refusals for one reason',
    },
  ]),
  show,
  testCase,
}
