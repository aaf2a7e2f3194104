import { createEditCommand } from '../../resources/edit-command.ts'
import { POLICIES } from '../../resources/kinds.ts'
import { withDefaultMethods } from '../../resources/policy-methods.ts'
import { createDeleteCommand, createListCommand, createShowCommand } from '../../resources/read-commands.ts'
import { createCreateCommand, createUpdateCommand } from '../../resources/write-commands.ts'

/** `countersign policies …` */
export const policies = {
  list: createListCommand(POLICIES),
  show: createShowCommand(POLICIES),
  create: createCreateCommand(POLICIES, {
    details: [
      'Without a flag for a method, certificates, tokens and passwords are allowed. With --allow-cert, --allow-jwt, --allow-password',
      'or --allow-passkey, only those that are named; with --no-allow-…, all but those.',
    ],
    complete: async (_call, members) => withDefaultMethods(members),
    examples: [
      { command: 'countersign policies create staff', description: 'login with certificates, tokens and passwords' },
      {
        command: 'countersign policies create staff --allow-jwt --require-totp',
        description: 'login with tokens only, and one-time codes',
      },
      {
        command: 'countersign policies create desk --allow-cert --require-signer keycloak',
        description: 'login with certificates only, and a token of a signer on every call',
      },
    ],
  }),
  update: createUpdateCommand(POLICIES, '--no-allow-password'),
  edit: createEditCommand(POLICIES),
  delete: createDeleteCommand(POLICIES),
}
