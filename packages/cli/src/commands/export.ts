import { EXIT, usageError } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { writePrivateFile } from '../files/private-file.ts'
import { printableJsonLines } from '../printable.ts'
import { CALL_FLAGS } from '../session/call-flags.ts'
import { withController } from '../session/with-controller.ts'
import { partControllersOwn } from '../state/controllers-own.ts'
import { KINDS, loadState, toNamed } from '../state/named-state.ts'

/** `countersign export`: signers, policies and identities as YAML. */
export const exportState: Command = {
  args: [],
  flags: [
    ...CALL_FLAGS.map((flag) => (flag.name === 'output' ? { ...flag, description: 'yaml or json [yaml]' } : flag)),
    {
      name: 'file',
      short: 'f',
      value: 'FILE',
      description: 'Write to this file, for its owner only, instead of stdout',
    },
  ],
  details: [
    'Others are named by their names, so that the file can be applied elsewhere. It holds no password and no private key,',
    'and not the identities of API accounts, which each controller makes by itself.',
  ],
  examples: [{ command: 'countersign export -f state.yaml', says: 'to be looked at, kept, and applied' }],
  async run(call) {
    const format = call.flags.output ?? 'yaml'
    if (format !== 'yaml' && format !== 'json')
      throw usageError(`there is no output "${String(format)}"`, 'write -o yaml or -o json')
    const state = await withController(call, loadState)
    const { others } = partControllersOwn(state, 'id')
    const named = Object.fromEntries(
      KINDS.map((kind) => [kind.plural, (others.get(kind) ?? []).map((thing) => toNamed(kind, thing, state))]),
    )
    const { stringify } = await import('yaml')
    const lines = format === 'json' ? printableJsonLines(named) : stringify(named).trimEnd().split('\n')
    if (typeof call.flags.file === 'string') {
      writePrivateFile(call.flags.file, `${lines.join('\n')}\n`)
      call.terminal.note(`wrote ${call.flags.file}`)
    } else for (const line of lines) call.terminal.out(line)
    return EXIT.ok
  },
}
