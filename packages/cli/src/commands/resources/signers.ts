import { EXIT } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { printObject } from '../../output/print-result.ts'
import { createEditCommand } from '../../resources/edit-command.ts'
import { getItem } from '../../resources/get-item.ts'
import { SIGNERS } from '../../resources/kinds.ts'
import {
  createActionCommand,
  createDeleteCommand,
  createListCommand,
  createShowCommand,
} from '../../resources/read-commands.ts'
import { completeFromSource, SOURCE_FLAGS, SOURCE_HELP } from '../../resources/signer-source.ts'
import { createTrustCommand } from '../../resources/trust-command.ts'
import { createCreateCommand, createUpdateCommand } from '../../resources/write-commands.ts'
import { CALL_FLAGS } from '../../session/call-flags.ts'
import { withController } from '../../session/with-controller.ts'

const refresh: Command = {
  args: ['NAME'],
  flags: CALL_FLAGS,
  examples: [
    { command: 'countersign signers refresh keycloak', description: 'fetch the keys now and show the result' },
  ],
  async run(call) {
    const status = await withController(call, async (client) =>
      client.signers.refreshKeys((await getItem(SIGNERS, SIGNERS.open(client), call.args[0] ?? '')).id),
    )
    await printObject(call, status, () => call.args[0])
    return status.lastError ? EXIT.failure : EXIT.ok
  },
}

const discover: Command = {
  args: ['ISSUER'],
  flags: CALL_FLAGS,
  examples: [
    {
      command: 'countersign signers discover https://acme.us.auth0.com/ -o yaml',
      description: 'print the members of a signer, for create',
    },
  ],
  async run(call) {
    const found = await withController(call, (client) => client.signers.discover(call.args[0] ?? ''))
    await printObject(call, found, () => call.args[0])
    return EXIT.ok
  },
}

/** `countersign signers …` */
export const signers = {
  list: createListCommand(SIGNERS),
  show: createShowCommand(SIGNERS),
  create: createCreateCommand(SIGNERS, {
    flags: SOURCE_FLAGS,
    details: SOURCE_HELP,
    complete: completeFromSource,
    examples: [
      {
        command:
          'countersign signers create staff --preset keycloak --url https://sso.example --realm acme --client-id overlay',
        description: 'fill the members for a provider',
      },
      {
        command: 'countersign signers create staff --discover https://sso.example/realms/acme --audience overlay',
        description: 'read the members from the discovery document of an issuer',
      },
      {
        command:
          'countersign signers create keycloak --issuer https://sso.example/realms/acme --audience overlay --jwks-endpoint https://sso.example/realms/acme/protocol/openid-connect/certs',
        description: 'trust the tokens of a provider',
      },
      { command: 'countersign signers create keycloak -f signer.yaml', description: 'read the members from a file' },
    ],
  }),
  update: createUpdateCommand(SIGNERS, '--audience overlay'),
  edit: createEditCommand(SIGNERS),
  enable: createActionCommand(SIGNERS, {
    verb: 'enable',
    done: 'enabled',
    act: (client, { id }) => client.signers.patch(id, { enabled: true }),
  }),
  disable: createActionCommand(SIGNERS, {
    verb: 'disable',
    done: 'disabled',
    act: (client, { id }) => client.signers.patch(id, { enabled: false }),
  }),
  trust: createTrustCommand(SIGNERS, {
    open: ({ signers: all }) => all,
    effect: 'Its tokens can then log in administrators.',
    example: 'keycloak',
  }),
  delete: createDeleteCommand(SIGNERS),
  refresh,
  discover,
}
