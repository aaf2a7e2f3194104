import type { ControllerClient, ScimToken } from '@countersign/sdk'
import { EXIT } from '../../cli-error.ts'
import type { Call, Command } from '../../command.ts'
import { selectItems } from '../../hosted/select-items.ts'
import { printChange } from '../../output/print-change.ts'
import { printList, printObject } from '../../output/print-result.ts'
import { label } from '../../resources/find-by-name-or-id.ts'
import { getItem } from '../../resources/get-item.ts'
import { SIGNERS } from '../../resources/kinds.ts'
import { LIST_FLAGS, readListOptions } from '../../resources/list-options.ts'
import type { Item } from '../../resources/resource-kind.ts'
import { CALL_FLAGS, YES_FLAG } from '../../session/call-flags.ts'
import { confirm } from '../../session/confirm.ts'
import { withController } from '../../session/with-controller.ts'

function signerOf(client: ControllerClient, { args }: Call): Promise<Item> {
  return getItem(SIGNERS, SIGNERS.open(client), args[0] ?? '')
}

const list: Command = {
  args: ['SIGNER'],
  flags: [...CALL_FLAGS, ...LIST_FLAGS],
  examples: [{ command: 'countersign scim-tokens list okta', description: 'by name or id of the signer' }],
  async run(call) {
    const options = readListOptions(call)
    const tokens = await withController(call, async (client) =>
      client.signers.scimTokens((await signerOf(client, call)).id),
    )
    await printList(call, selectItems(tokens, options), [
      { title: 'ID', get: ({ id }: ScimToken) => id, isWhole: true },
      { title: 'CREATED', get: ({ createdAt }) => createdAt },
      { title: 'BY', get: ({ createdBy }) => createdBy.name },
    ])
    return EXIT.ok
  },
}

const create: Command = {
  args: ['SIGNER'],
  flags: CALL_FLAGS,
  details: ['The token is printed only once. A signer has two at most, so that one can be replaced by another.'],
  examples: [
    { command: 'countersign scim-tokens create okta', description: 'make a token for the identity provider' },
    { command: 'countersign scim-tokens create okta -o json', description: 'for scripts' },
  ],
  async run(call) {
    const made = await withController(call, async (client) => {
      const { id } = await signerOf(client, call)
      const [token, { scimUrl }] = [await client.signers.createScimToken(id), await client.signers.get(id)]
      return { ...token, scimUrl }
    })
    await printObject(call, made)
    return EXIT.ok
  },
}

const remove: Command = {
  args: ['SIGNER', 'ID'],
  flags: [...CALL_FLAGS, YES_FLAG],
  examples: [{ command: 'countersign scim-tokens delete okta ID --yes', description: 'without asking' }],
  async run(call) {
    const [, id = ''] = call.args
    const signer = await withController(call, (client) => signerOf(client, call))
    await confirm(
      call,
      `Delete the SCIM token ${id} of the signer ${label(signer)}? Its identity provider can no longer use it.`,
    )
    await withController(call, (client) => client.signers.deleteScimToken(signer.id, id))
    await printChange(call, {
      action: 'deleted',
      kind: 'SCIM token',
      item: { id },
      ending: ` of the signer ${label(signer)}`,
    })
    return EXIT.ok
  },
}

/** `countersign scim-tokens …` */
export const scimTokens = { list, create, delete: remove }
