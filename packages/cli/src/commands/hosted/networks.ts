import type { Network } from '@countersign/sdk'
import { CliError, EXIT } from '../../cli-error.ts'
import { collect } from '../../collect.ts'
import type { Command } from '../../command.ts'
import { HOSTED_FLAGS, withHosted } from '../../hosted/with-hosted.ts'
import { printList, printObject } from '../../output/print-result.ts'
import { findByNameOrId } from '../../resources/find-by-name-or-id.ts'

const list: Command = {
  args: [],
  flags: [
    ...HOSTED_FLAGS,
    { name: 'name', value: 'PATTERN', description: 'Only networks with this name; % is a wildcard' },
  ],
  examples: [
    {
      command: 'countersign networks list --credentials credentials.json --hosted-url https://ctrl.example.com',
      description: 'list the networks of an API account',
    },
  ],
  async run(call) {
    const { name } = call.flags
    const found = await withHosted(call, async ({ networks }) =>
      collect(typeof name === 'string' ? networks.findByName(name) : networks.list()),
    )
    await printList(call, found, [
      { title: 'NAME', get: (network: Network) => network.name },
      { title: 'STATUS', get: ({ status }) => status },
      { title: 'VERSION', get: ({ productVersion }) => productVersion },
      { title: 'ID', get: ({ id }) => id },
    ])
    return EXIT.ok
  },
}

const get: Command = {
  args: ['NAME'],
  flags: HOSTED_FLAGS,
  examples: [{ command: 'countersign networks get demo -o yaml', description: 'by name or id' }],
  async run(call) {
    const [nameOrId = ''] = call.args
    const found = await withHosted(call, async ({ networks }) => collect(networks.list()))
    const network = findByNameOrId(found, nameOrId, 'network')
    if (!network) {
      const hint = '"countersign networks list" shows all'
      throw new CliError(`there is no network "${nameOrId}"`, { hint, exitCode: EXIT.notFound })
    }
    await printObject(call, network)
    return EXIT.ok
  },
}

/** `countersign networks …` */
export const networks = { list, get }
