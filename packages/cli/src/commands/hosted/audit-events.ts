import type { AuditEvent } from '@countersign/sdk'
import { EXIT, usageError } from '../../cli-error.ts'
import type { Call, Command } from '../../command.ts'
import { HOSTED_FLAGS, withHosted } from '../../hosted/with-hosted.ts'
import { printList } from '../../output/print-result.ts'
import { textFlag } from '../../text-flag.ts'

const DEFAULT_LIMIT = 100

const list: Command = {
  args: [],
  flags: [
    ...HOSTED_FLAGS,
    { name: 'type', value: 'TYPES', description: 'Only these types, such as network,token.refused' },
    { name: 'from', value: 'TIME', description: 'Only events of this time or later, such as 2026-01-31T08:00:00Z' },
    { name: 'to', value: 'TIME', description: 'Only events of this time or earlier' },
    { name: 'limit', value: 'NUMBER', description: `How many events, the newest first [${DEFAULT_LIMIT}]` },
  ],
  details: ['What happened in the organization of the caller: changes of its records, and tokens of its accounts.'],
  examples: [
    {
      command: 'countersign audit-events list --type token.refused',
      description: 'which tokens were refused, and why',
    },
  ],
  async run(call) {
    const options = { type: textFlag(call.flags, 'type'), from: timeOf(call, 'from'), to: timeOf(call, 'to') }
    const limit = limitOf(call)
    const events = await withHosted(call, async ({ auditEvents }) => {
      const found: AuditEvent[] = []
      for await (const event of auditEvents.list(options)) {
        if (found.push(event) >= limit) break
      }
      return found
    })
    await printList(call, events, [
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

function limitOf(call: Call): number {
  const limit = Number(textFlag(call.flags, 'limit') ?? DEFAULT_LIMIT)
  if (!Number.isInteger(limit) || limit < 1) throw usageError('--limit must be a number', 'write --limit NUMBER')
  return limit
}

/** `countersign audit-events …` */
export const auditEvents = { list }
