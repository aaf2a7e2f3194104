import type { WhatIfChange, WhatIfReport } from '@countersign/sdk'
import { EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { getSourceName, loadTextArgument } from '../files/load-text-file.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { parseMembers } from '../resources/field-flags.ts'
import { CALL_FLAGS } from '../session/call-flags.ts'
import { withController } from '../session/with-controller.ts'

/** `countersign what-if`: predict the effect of changes. */
export const whatIf: Command = {
  args: [],
  flags: [
    ...CALL_FLAGS,
    { name: 'file', short: 'f', value: 'FILE', description: 'The file with the changes, - for stdin' },
    { name: 'limit', value: 'NUMBER', description: 'How many recent logins are evaluated at most [1000]' },
  ],
  details: [
    'Predicts from recent logins and live sessions who would be refused, who accepted, who would get other attributes or need',
    'another factor, and of whom it cannot be said. Changes nothing. FILE has "changes": a list of op (create, update, delete),',
    'kind (ext-jwt-signer, auth-policy, identity), id, and body, which an update merges like PATCH.',
  ],
  examples: [{ command: 'countersign what-if -f changes.yaml', description: 'the effect of the changes in a file' }],
  async run(call) {
    const { file, limit } = call.flags
    if (typeof file !== 'string')
      throw usageError('"countersign what-if" needs a file', 'write countersign what-if -f FILE')
    const { changes, limit: ofFile } = await parseMembers(await loadTextArgument(call, file), getSourceName(file))
    if (!Array.isArray(changes))
      throw usageError(`${getSourceName(file)} has no list "changes"`, 'see "countersign what-if --help"')
    const count = limit === undefined ? ofFile : Number(limit)
    const report = await withController(call, (client) =>
      client.whatIf(changes as WhatIfChange[], typeof count === 'number' ? { limit: count } : {}),
    )
    await print(call, report)
    return EXIT.ok
  },
}

async function print(call: Call, report: WhatIfReport): Promise<void> {
  const format = getFormat(call)
  // By name: the identities for which something would change.
  if (format === 'name') return printData(call, listAffected(report))
  if (format !== 'table') return printData(call, report)
  const { out } = call.terminal
  const { evaluated, unchanged, sessionsEnded } = report
  out(`${evaluated} logins and sessions evaluated, ${unchanged} unchanged, ${sessionsEnded} sessions would end`)
  for (const { identity, reason, text } of report.refused)
    out([['red', '- '], `${identity.name} would be refused (${reason}): ${text}`])
  for (const { identity } of report.accepted) out([['green', '+ '], `${identity.name} would be accepted`])
  for (const { identity, added, removed } of report.attributes) {
    out([
      ['yellow', '~ '],
      `${identity.name} would get other attributes: ${[...added.map((name) => `+${name}`), ...removed.map((name) => `-${name}`)].join(' ')}`,
    ])
  }
  for (const { identity, missing } of report.factors)
    out([['yellow', '~ '], `${identity.name} would need: ${missing.join(', ')}`])
  for (const { identity, text } of report.unknown)
    out([['yellow', '? '], `${identity?.name ?? 'an unknown subject'}: ${text}`])
}

function listAffected({
  refused,
  accepted,
  attributes,
  factors,
}: WhatIfReport): WhatIfReport['accepted'][number]['identity'][] {
  const identities = [...refused, ...accepted, ...attributes, ...factors].map(({ identity }) => identity)
  return [...new Map(identities.map((identity) => [identity.id, identity])).values()]
}
