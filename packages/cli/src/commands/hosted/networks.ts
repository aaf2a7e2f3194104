import type { Network, NetworkInput } from '@countersign/sdk'
import { CliError, EXIT } from '../../cli-error.ts'
import { collect } from '../../collect.ts'
import type { Command, Flag } from '../../command.ts'
import { selectItems } from '../../hosted/select-items.ts'
import { HOSTED_FLAGS, withHosted } from '../../hosted/with-hosted.ts'
import { printChange } from '../../output/print-change.ts'
import { printList, printObject } from '../../output/print-result.ts'
import { findByNameOrId } from '../../resources/find-by-name-or-id.ts'
import { LIST_FLAGS, readListOptions } from '../../resources/list-options.ts'

const list: Command = {
  args: [],
  flags: [
    ...HOSTED_FLAGS,
    ...LIST_FLAGS,
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
    const options = readListOptions(call)
    const found = await withHosted(call, async ({ networks }) =>
      collect(typeof name === 'string' ? networks.findByName(name) : networks.list()),
    )
    await printList(call, selectItems(found, options), [
      { title: 'NAME', get: (network: Network) => network.name },
      { title: 'STATUS', get: ({ status }) => status },
      { title: 'VERSION', get: ({ productVersion }) => productVersion },
      { title: 'ID', get: ({ id }) => id, isWhole: true },
    ])
    return EXIT.ok
  },
}

const show: Command = {
  args: ['NAME'],
  flags: HOSTED_FLAGS,
  examples: [{ command: 'countersign networks show demo -o yaml', description: 'by name or id' }],
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

/** The flag of each member of a new network. */
const MEMBER_FLAGS = {
  controllerUrl: { name: 'controller-url', value: 'URL', description: 'The URL of its controller' },
  networkGroupId: { name: 'group', value: 'ID', description: 'Its group [the first one of the organization]' },
  region: { name: 'region', value: 'TEXT', description: 'Where it is [local]' },
  provider: { name: 'provider', value: 'TEXT', description: 'Who runs it [SELF]' },
  size: { name: 'size', value: 'TEXT', description: 'How large it is [small]' },
} as const satisfies Partial<Record<keyof NetworkInput, Flag>>

const create: Command = {
  args: ['NAME'],
  flags: [...HOSTED_FLAGS, ...Object.values(MEMBER_FLAGS)],
  details: ['Adds a network with an existing controller to the list that API accounts see.'],
  examples: [
    {
      command: 'countersign networks create plant --controller-url https://plant.example.com:1280',
      description: 'add a network',
    },
  ],
  async run(call) {
    const [name = ''] = call.args
    const members = Object.entries(MEMBER_FLAGS).flatMap(([member, { name: flag }]) =>
      call.flags[flag] === undefined ? [] : [[member, String(call.flags[flag])]],
    )
    const body = { name, ...Object.fromEntries(members) }
    const created = await withHosted(call, (client) => client.networks.create(body))
    await printChange(call, { action: 'created', kind: 'network', item: created, members: created })
    return EXIT.ok
  },
}

/** `countersign networks …` */
export const networks = { list, show, create }
