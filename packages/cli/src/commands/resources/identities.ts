import { usageError } from '../../cli-error.ts'
import { createEditCommand } from '../../resources/edit-command.ts'
import { IDENTITIES } from '../../resources/kinds.ts'
import {
  createActionCommand,
  createDeleteCommand,
  createListCommand,
  createShowCommand,
} from '../../resources/read-commands.ts'
import { createUpdateCommand } from '../../resources/write-commands.ts'
import { createIdentity } from './create-identity.ts'

/** `countersign identities …` */
export const identities = {
  list: createListCommand(IDENTITIES),
  show: createShowCommand(IDENTITIES),
  create: createIdentity,
  update: createUpdateCommand(IDENTITIES, '--attribute sales --attribute north'),
  edit: createEditCommand(IDENTITIES),
  enable: createActionCommand(IDENTITIES, {
    verb: 'enable',
    done: 'enabled',
    act: (client, { id }) => client.identities.enable(id),
  }),
  disable: createActionCommand(IDENTITIES, {
    verb: 'disable',
    done: 'disabled',
    flags: [{ name: 'minutes', value: 'N', description: 'For N minutes [until it is enabled again]' }],
    example: ' --minutes 60',
    act: (client, { id }, { flags }) => client.identities.disable(id, { minutes: readMinutes(flags.minutes) }),
  }),
  resetCodes: createActionCommand(IDENTITIES, {
    verb: 'reset-codes',
    done: 'reset the one-time codes of',
    act: (client, { id }) => client.identities.resetMfa(id),
  }),
  endSessions: createActionCommand(IDENTITIES, {
    verb: 'end-sessions',
    done: 'ended the sessions of',
    act: (client, { id }) => client.identities.endSessions(id),
  }),
  delete: createDeleteCommand(IDENTITIES),
}

function readMinutes(given: unknown): number {
  const minutes = Number(given ?? 0)
  if (Number.isInteger(minutes) && minutes >= 0) return minutes
  throw usageError('--minutes must be a whole number', `got "${String(given)}"`)
}
