import { createEditCommand } from '../../resources/edit-command.ts'
import { POLICIES } from '../../resources/kinds.ts'
import { createDeleteCommand, createListCommand, createShowCommand } from '../../resources/read-commands.ts'
import { createCreateCommand, createUpdateCommand } from '../../resources/write-commands.ts'

/** `countersign policies …` */
export const policies = {
  list: createListCommand(POLICIES),
  show: createShowCommand(POLICIES),
  create: createCreateCommand(POLICIES, [
    {
      command: 'countersign policies create staff --allow-jwt --require-totp',
      description: 'login with tokens and one-time codes',
    },
    {
      command: 'countersign policies create desk --allow-cert --require-signer keycloak',
      description: 'login with certificates, and a token of a signer on every call',
    },
  ]),
  update: createUpdateCommand(POLICIES, '--no-allow-password'),
  edit: createEditCommand(POLICIES),
  delete: createDeleteCommand(POLICIES),
}
