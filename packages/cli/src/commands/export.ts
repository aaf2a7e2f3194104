import { EXIT, usageError } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { writePrivateFile } from '../files/private-file.ts'
import { printableYamlLines } from '../output/printable-yaml.ts'
import { printableJsonLines } from '../printable.ts'
import { CALL_FLAGS } from '../session/call-flags.ts'
import { withController } from '../session/with-controller.ts'
import { KINDS, loadState, toNamed } from '../state/named-state.ts'
import { splitControllerOwned } from '../state/split-controller-owned.ts'

/** `countersign export`: write signers, policies and identities as YAML. */
export const exportState: Command = {
  args: [],
  flags: [
    ...CALL_FLAGS.map((flag) => (flag.name === 'output' ? { ...flag, description: 'yaml or json [yaml]' } : flag)),
    {
      name: 'file',
      short: 'f',
      value: 'FILE',
      description: 'Write to this file, readable only by its owner, instead of stdout',
    },
  ],
  details: [
    'References are by name, so that the file can be applied to another controller. It contains no passwords, no private',
    'keys, and no identities of API accounts: each controller creates its own.',
  ],
  examples: [{ command: 'countersign export -f state.yaml', description: 'write a file for apply' }],
  async run(call) {
    const format = call.flags.output ?? 'yaml'
    if (format !== 'yaml' && format !== 'json')
      throw usageError(`there is no output format "${String(format)}"`, 'write -o yaml or -o json')
    const state = await withController(call, loadState)
    const { rest } = splitControllerOwned(state, 'id')
    const named = Object.fromEntries(
      KINDS.map((kind) => [kind.plural, (rest.get(kind) ?? []).map((item) => toNamed(kind, item, state))]),
    )
    const lines = format === 'json' ? printableJsonLines(named) : await printableYamlLines(named)
    if (typeof call.flags.file === 'string') {
      writePrivateFile(call.flags.file, `${lines.join('\n')}\n`)
      call.terminal.note(`wrote ${call.flags.file}`)
    } else for (const line of lines) call.terminal.out(line)
    return EXIT.ok
  },
}
