import { EXIT, usageError } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { printObject } from '../../output/print-result.ts'
import { createEditCommand } from '../../resources/edit-command.ts'
import { getItem } from '../../resources/get-item.ts'
import { SINKS } from '../../resources/kinds.ts'
import {
  createActionCommand,
  createDeleteCommand,
  createListCommand,
  createShowCommand,
} from '../../resources/read-commands.ts'
import { createCreateCommand, createUpdateCommand } from '../../resources/write-commands.ts'
import { CALL_FLAGS } from '../../session/call-flags.ts'
import { withController } from '../../session/with-controller.ts'

const test: Command = {
  args: ['NAME'],
  flags: CALL_FLAGS,
  details: ['Exits with status 1 when the receiver refuses the event or cannot be reached.'],
  examples: [{ command: 'countersign sinks test siem', description: 'send a test event now' }],
  async run(call) {
    const result = await withController(call, async (client) => {
      const { id } = await getItem(SINKS, SINKS.open(client), call.args[0] ?? '')
      return client.eventSinks.test(id)
    })
    await printObject(call, result, () => call.args[0])
    return result.delivered ? EXIT.ok : EXIT.failure
  },
}

/** `countersign sinks …` */
export const sinks = {
  list: createListCommand(SINKS, [
    { command: "countersign sinks list --filter 'lastError != null'", description: 'those that fail' },
  ]),
  show: createShowCommand(SINKS),
  create: createCreateCommand(SINKS, {
    examples: [
      {
        command: 'countersign sinks create siem --kind webhook --url https://siem.example/in --secret secret.txt',
        description: 'a signed webhook; the secret is whsec_ and base64',
      },
      {
        command: 'countersign sinks create traces --kind otlp --url https://collector.example/v1/logs',
        description: 'logs of an OpenTelemetry collector',
      },
      { command: 'countersign sinks create audit --kind file', description: 'lines in <data>/events/audit.jsonl' },
    ],
  }),
  update: createUpdateCommand(SINKS, '--no-enabled'),
  edit: createEditCommand(SINKS),
  test,
  replay: createActionCommand(SINKS, {
    verb: 'replay',
    done: 'replayed',
    flags: [{ name: 'from', value: 'POSITION', description: 'The position of the first event to deliver again' }],
    example: ' --from 1',
    act: (client, item, { flags: { from } }) => {
      const position = Number(from)
      if (typeof from === 'string' && Number.isSafeInteger(position)) return client.eventSinks.replay(item.id, position)
      throw usageError('the position is missing: --from POSITION', `the sink is at position ${String(item.position)}`)
    },
  }),
  delete: createDeleteCommand(SINKS),
}
