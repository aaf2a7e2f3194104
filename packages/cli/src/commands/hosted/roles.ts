import type { Role } from '@countersign/sdk'
import { CliError, EXIT } from '../../cli-error.ts'
import { collect } from '../../collect.ts'
import type { Command } from '../../command.ts'
import { selectItems } from '../../hosted/select-items.ts'
import { HOSTED_FLAGS, withHosted } from '../../hosted/with-hosted.ts'
import { printList, printObject } from '../../output/print-result.ts'
import { LIST_FLAGS, readListOptions } from '../../resources/list-options.ts'

const nameOf = ({ role }: Role) => role

const list: Command = {
  args: [],
  flags: [...HOSTED_FLAGS, ...LIST_FLAGS],
  examples: [{ command: 'countersign roles list', description: 'what accounts with each role may do' }],
  async run(call) {
    const options = readListOptions(call)
    const found = await withHosted(call, ({ roles }) => collect(roles.list()))
    const columns = [
      { title: 'ROLE', get: nameOf },
      { title: 'DESCRIPTION', get: ({ description }: Role) => description },
      { title: 'PERMISSIONS', get: ({ permissions }: Role) => permissions.join(' ') },
    ]
    await printList(call, selectItems(found, options), columns, nameOf)
    return EXIT.ok
  },
}

const show: Command = {
  args: ['ROLE'],
  flags: HOSTED_FLAGS,
  examples: [{ command: 'countersign roles show network-admin', description: 'every permission of a role' }],
  async run(call) {
    const [wanted = ''] = call.args
    const all = await withHosted(call, ({ roles }) => collect(roles.list()))
    const found = all.find(({ role, code, id }) => [role, code, id].includes(wanted))
    if (!found) {
      const hint = '"countersign roles list" shows all'
      throw new CliError(`there is no role "${wanted}"`, { hint, exitCode: EXIT.notFound })
    }
    await printObject(call, found, nameOf)
    return EXIT.ok
  },
}

/** `countersign roles …` */
export const roles = { list, show }
