import type { ControllerClient, WatchedEvent } from '@countersign/sdk'
import { EXIT, usageError } from '../cli-error.ts'
import { waitForClosedOutput } from '../closed-output.ts'
import type { Call, Command } from '../command.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { hasUnprintable, printableJson } from '../printable.ts'
import { CALL_FLAGS } from '../session/call-flags.ts'
import { openController } from '../session/open-controller.ts'
import { waitForStopSignal } from '../stop-signals.ts'
import { textFlag } from '../text-flag.ts'

/** Members that every line starts with, or that do not help a person. */
const OMITTED = ['namespace', 'event_type', 'eventType', 'eventId', 'type', 'timestamp', 'event_src_id']

/** `countersign events tail`: print events as they happen. */
export const eventsTail: Command = {
  args: [],
  flags: [
    ...CALL_FLAGS,
    { name: 'namespace', value: 'NAME', repeatable: true, description: 'Only these: authentication, apiSession, …' },
    { name: 'count', value: 'N', description: 'Stop after N events' },
    { name: 'after', value: 'ID', description: 'Start after this event, if the controller still has it' },
  ],
  details: ['Stops at Ctrl-C, or when the pipe is closed. With -o json each line is one object.'],
  examples: [
    { command: 'countersign events tail --namespace authentication -o json', description: 'logins as JSON lines' },
  ],
  async run(call) {
    const limit = readCount(call.flags.count)
    const { client, url, explain } = await openController(call)
    const stop = new AbortController()
    void Promise.race([waitForStopSignal(), waitForClosedOutput()]).then(() => stop.abort())
    call.terminal.note(`following ${url}; stop with Ctrl-C`)
    await explain(follow(call, client, stop.signal, limit))
    return EXIT.ok
  },
}

function readCount(given: unknown): number {
  if (given === undefined) return Number.POSITIVE_INFINITY
  const count = Number(given)
  if (Number.isInteger(count) && count > 0) return count
  throw usageError('--count must be a whole number above 0', `got "${String(given)}"`)
}

async function follow(call: Call, client: ControllerClient, signal: AbortSignal, limit: number): Promise<void> {
  const { namespace } = call.flags
  const namespaces = Array.isArray(namespace) ? namespace.map(String) : undefined
  let seen = 0
  for await (const watched of client.events({
    namespaces,
    lastEventId: textFlag(call.flags, 'after'),
    signal,
  })) {
    await printEvent(call, watched)
    if (watched.kind === 'event' && ++seen >= limit) return
  }
}

async function printEvent(call: Call, { kind, event }: WatchedEvent): Promise<void> {
  const format = getFormat(call)
  if (format === 'json') return call.terminal.out(printableJson(event))
  if (format === 'yaml') {
    call.terminal.out('---')
    return printData(call, event)
  }
  if (format === 'name') return printData(call, event, ({ eventId }: typeof event) => eventId)
  if (kind === 'gap') return call.terminal.out([['yellow', 'some events are missing here']])
  const { timestamp, namespace, event_type, eventType, type } = event
  const rest = Object.entries(event).flatMap(([name, value]) =>
    OMITTED.includes(name) || value === '' || typeof value === 'object' ? [] : [`${name}=${quoteValue(String(value))}`],
  )
  const colour = event.success === false ? 'red' : 'cyan'
  call.terminal.out([
    `${timestamp} `,
    [colour, `${namespace} ${String(event_type ?? eventType ?? type ?? '')}`],
    ` ${rest.join(' ')}`,
  ])
}

/** Quotes a value that could be taken for further members: names are chosen by their owners. */
export function quoteValue(text: string): string {
  return /[\s="'\\]/.test(text) || hasUnprintable(text) ? printableJson(text) : text
}
