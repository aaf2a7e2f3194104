import type { AuditEvent } from '@countersign/sdk'
import { EXIT, usageError } from '../../cli-error.ts'
import type { Call, Command } from '../../command.ts'
import { selectItems } from '../../hosted/select-items.ts'
import { HOSTED_FLAGS, withHosted } from '../../hosted/with-hosted.ts'
import { printList } from '../../output/print-result.ts'
import { LIST_FLAGS, readListOptions } from '../../resources/list-options.ts'
import { textFlag } from '../../text-flag.ts'

const DEFAULT_LIMIT = 100

const list: Command = {
  args: [],
  flags: [
    ...HOSTED_FLAGS,
    { name: 'type', value: 'TYPES', description: 'Only these types, such as network,token.refused' },
    { name: 'from', value: 'TIME', description: 'Only events of this time or later, such as 2026-01-31T08:00:00Z' },
    { name: 'to', value: 'TIME', description: 'Only events of this time or earlier' },
    ...LIST_FLAGS.map((flag) =>
      flag.name === 'limit' ? { ...flag, description: `How many events, the newest first [${DEFAULT_LIMIT}]` } : flag,
    ),
  ],
  details: [
    'What happened in the organization of the caller: changes of its records, and tokens of its accounts. --filter and --sort apply to',
    'the newest events that --type, --from, --to and --limit select.',
  ],
  examples: [
    {
      command: 'countersign audit-events list --type token.refused',
      description: 'which tokens were refused, and why',
    },
  ],
  async run(call) {
    const options = { type: textFlag(call.flags, 'type'), from: timeOf(call, 'from'), to: timeOf(call, 'to') }
    const { limit = DEFAULT_LIMIT, ...selection } = readListOptions(call)
    const events = await withHosted(call, async ({ auditEvents }) => {
      const found: AuditEvent[] = []
      for await (const event of auditEvents.list(options)) {
        if (found.push(event) >= limit) break
      }
      return found
    })
    await printList(call, selectItems(events, { ...selection, limit: undefined }), [
      { title: 'AT', get: (event: AuditEvent) => event.at },
      { title: 'TYPE', get: ({ type }) => type },
      { title: 'ACTOR', get: ({ actor }) => actor?.name ?? actor?.type ?? '' },
      { title: 'TARGET', get: ({ target }) => target?.name ?? target?.id ?? '' },
      { title: 'DETAIL', get: ({ changed, reason }) => reason ?? changed.join(' ') },
      { title: 'ADDRESS', get: ({ address }) => address ?? '' },
    ])
    return EXIT.ok
  },
}

function timeOf(call: Call, name: string): Date | undefined {
  const text = textFlag(call.flags, name)
  if (text === undefined) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw usageError(`--${name} must be a time`, `write --${name} 2026-01-31T08:00:00Z`)
  return time
}

/** `countersign audit-events …` */
export const auditEvents = { list }
