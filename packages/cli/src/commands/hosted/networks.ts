import type { HostedClient, Network, NetworkInput } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../../cli-error.ts'
import { collect } from '../../collect.ts'
import type { Call, Command, Flag } from '../../command.ts'
import { selectItems } from '../../hosted/select-items.ts'
import { HOSTED_FLAGS, withHosted } from '../../hosted/with-hosted.ts'
import { printChange } from '../../output/print-change.ts'
import { printList, printObject } from '../../output/print-result.ts'
import { findByNameOrId, label } from '../../resources/find-by-name-or-id.ts'
import { LIST_FLAGS, readListOptions } from '../../resources/list-options.ts'
import { YES_FLAG } from '../../session/call-flags.ts'
import { confirm } from '../../session/confirm.ts'

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
    await printObject(call, await withHosted(call, (client) => getNetwork(client, call.args[0] ?? '')))
    return EXIT.ok
  },
}

async function getNetwork(client: HostedClient, nameOrId: string): Promise<Network> {
  const found = findByNameOrId(await collect(client.networks.list()), nameOrId, 'network')
  if (found) return found
  const hint = '"countersign networks list" shows all'
  throw new CliError(`there is no network "${nameOrId}"`, { hint, exitCode: EXIT.notFound })
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
    const body = { name, ...readMembers(call) }
    const created = await withHosted(call, (client) => client.networks.create(body))
    await printChange(call, { action: 'created', kind: 'network', item: created, members: created })
    return EXIT.ok
  },
}

function readMembers({ flags }: Call): Partial<NetworkInput> {
  const members = Object.entries(MEMBER_FLAGS).flatMap(([member, { name: flag }]) =>
    flags[flag] === undefined ? [] : [[member, String(flags[flag])]],
  )
  return Object.fromEntries(members)
}

const update: Command = {
  args: ['NAME'],
  flags: [
    ...HOSTED_FLAGS,
    { name: 'rename', value: 'NAME', description: 'The new name' },
    ...Object.values(MEMBER_FLAGS).map((flag) => ({ ...flag, description: flag.description.replace(/ \[.*\]$/, '') })),
  ],
  details: ['Members that are not named are kept.'],
  examples: [{ command: 'countersign networks update plant --region eu', description: 'update one member' }],
  async run(call) {
    const { rename } = call.flags
    const changes = { ...readMembers(call), ...(rename !== undefined && { name: String(rename) }) }
    if (Object.keys(changes).length === 0)
      throw usageError('there is nothing to change', '"countersign networks update --help" lists the flags')
    const network = await withHosted(call, async (client) => {
      const { id } = await getNetwork(client, call.args[0] ?? '')
      const { item, version } = await client.networks.getVersioned(id)
      await client.networks.update(id, changes, { ifMatch: version })
      return item
    })
    await printChange(call, { action: 'updated', kind: 'network', item: network })
    return EXIT.ok
  },
}

const remove: Command = {
  args: ['NAME'],
  flags: [...HOSTED_FLAGS, YES_FLAG],
  details: ['API accounts no longer see the network. Its controller is not changed.'],
  examples: [{ command: 'countersign networks delete plant --yes', description: 'by name or id, without asking' }],
  async run(call) {
    const { item: network, version } = await withHosted(call, async (client) =>
      client.networks.getVersioned((await getNetwork(client, call.args[0] ?? '')).id),
    )
    await confirm(call, `Delete the network ${label(network)}?`)
    await withHosted(call, (client) => client.networks.delete(network.id, { ifMatch: version }))
    await printChange(call, { action: 'deleted', kind: 'network', item: network })
    return EXIT.ok
  },
}

/** `countersign networks …` */
export const networks = { list, show, create, update, delete: remove }
