import { EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { loadTextArgument, nameTextArgument } from '../files/load-text-file.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { parseMembers } from '../resources/field-flags.ts'
import { loadWarnings, tellWarnings } from '../resources/warnings.ts'
import { CALL_FLAGS, YES_FLAG } from '../session/call-flags.ts'
import { confirm } from '../session/confirm.ts'
import { withController } from '../session/with-controller.ts'
import { carryOut } from '../state/carry-out.ts'
import { partControllersOwn } from '../state/controllers-own.ts'
import { loadState } from '../state/named-state.ts'
import { buildPlan, parseDesired, type Step } from '../state/plan.ts'

type Written = Pick<Step, 'kind' | 'name'> & { readonly id: string }

/** `countersign apply`: make signers, policies and identities as a file says. */
export const apply: Command = {
  args: [],
  flags: [
    ...CALL_FLAGS,
    { name: 'file', short: 'f', value: 'FILE', description: 'The file that says how it should be, - for stdin' },
    { name: 'dry-run', description: 'Show the plan and do nothing' },
    YES_FLAG,
  ],
  details: [
    'Shows what it would do, asks, and does it. Doing it again does nothing. What the file does not name stays as it is;',
    'nothing is ever deleted. Identities of API accounts are passed over: each controller makes its own.',
  ],
  examples: [
    { command: 'countersign apply -f state.yaml', says: 'show the plan, ask, do it' },
    { command: 'countersign apply -f state.yaml --yes', says: 'for a pipeline' },
  ],
  async run(call) {
    const { file } = call.flags
    if (typeof file !== 'string')
      throw usageError('"countersign apply" needs a file', 'write countersign apply -f FILE')
    const source = nameTextArgument(file)
    const desired = parseDesired(await parseMembers(await loadTextArgument(call, file), source), source)
    const { own, others } = partControllersOwn(desired, 'name')
    for (const [{ singular }, things] of own) {
      for (const { name } of things)
        call.terminal.note(`passed over: ${singular} ${String(name)}, which a controller makes by itself`)
    }
    const state = await withController(call, loadState)
    const plan = buildPlan(others, state)
    await printPlan(call, plan)
    if (plan.length === 0 || call.flags['dry-run'] === true) return EXIT.ok
    await confirm(call, 'Do it?')
    const written: Written[] = []
    await withController(call, async (client) => {
      await carryOut(client, plan, state, ({ kind, name }, id) => {
        written.push({ kind, name, id })
        call.terminal.note(`${written.length}/${plan.length} ${kind.singular} ${name}`)
      })
      for (const { kind, name, id } of written)
        tellWarnings(call, kind, name, await loadWarnings(kind, kind.open(client), id))
    })
    if (getFormat(call) === 'table') call.terminal.out(`done: ${written.length} of ${plan.length}`)
    return EXIT.ok
  },
}

async function printPlan(call: Call, plan: readonly Step[]): Promise<void> {
  if (getFormat(call) !== 'table') {
    const steps = plan.map(({ kind, name, existing, members }) => ({
      action: existing ? 'update' : 'create',
      kind: kind.singular,
      name,
      members: Object.keys(members),
    }))
    return printData(call, steps)
  }
  if (plan.length === 0) call.terminal.out('nothing to do')
  for (const { kind, name, existing, members } of plan) {
    if (existing) call.terminal.out([['yellow', '~ '], `${kind.singular} ${name}: ${Object.keys(members).join(', ')}`])
    else call.terminal.out([['green', '+ '], `${kind.singular} ${name}`])
  }
}
