import { EXIT, usageError } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { loadTextFile } from '../../files/load-text-file.ts'
import { printText } from '../../output/print-result.ts'
import { createEditCommand } from '../../resources/edit-command.ts'
import { getItem } from '../../resources/get-item.ts'
import { CAS, NEW_CAS } from '../../resources/kinds.ts'
import {
  createActionCommand,
  createDeleteCommand,
  createListCommand,
  createShowCommand,
} from '../../resources/read-commands.ts'
import { createTrustCommand } from '../../resources/trust-command.ts'
import { createCreateCommand, createUpdateCommand } from '../../resources/write-commands.ts'
import { CALL_FLAGS } from '../../session/call-flags.ts'
import { withController } from '../../session/with-controller.ts'

const jwt: Command = {
  args: ['NAME'],
  flags: CALL_FLAGS,
  examples: [
    { command: 'countersign cas jwt devices', description: 'print the JWT with which clients of the CA enroll' },
  ],
  async run(call) {
    const token = await withController(call, async (client) =>
      client.cas.jwt((await getItem(CAS, CAS.open(client), call.args[0] ?? '')).id),
    )
    await printText(call, 'jwt', token)
    return EXIT.ok
  },
}

/** `countersign cas …` */
export const cas = {
  list: createListCommand(CAS),
  show: createShowCommand(CAS),
  create: createCreateCommand(NEW_CAS, {
    examples: [
      {
        command: 'countersign cas create devices --cert corporate-ca.pem --auto-enrollment --identity-role devices',
        description: 'register a CA whose certificates log in and enroll, once it is verified',
      },
      {
        command: 'countersign cas create people --cert people-ca.pem -f claim.yaml',
        description: 'with the externalIdClaim of a file, which is compared with externalId',
      },
    ],
  }),
  update: createUpdateCommand(CAS, '--no-auto-enrollment'),
  edit: createEditCommand(CAS),
  verify: createActionCommand(CAS, {
    verb: 'verify',
    done: 'verified',
    flags: [
      { name: 'cert', value: 'FILE', description: 'A certificate that the CA signed for its verification token' },
    ],
    example: ' --cert proof.pem',
    act: (client, item, { flags: { cert } }) => {
      if (typeof cert === 'string') return client.cas.verify(item.id, loadTextFile(cert))
      throw usageError(
        'the proof is missing: --cert FILE',
        `let the CA sign a certificate with the common name ${String(item.verificationToken)}`,
      )
    },
  }),
  trust: createTrustCommand(CAS, {
    open: (client) => client.cas,
    effect: 'Its certificates can then log in administrators.',
    example: 'devices',
  }),
  jwt,
  delete: createDeleteCommand(CAS),
}
