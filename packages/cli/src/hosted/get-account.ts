import type { Account, HostedClient } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import { collect } from '../collect.ts'
import { findByNameOrId } from '../resources/find-by-name-or-id.ts'

/** The account with this name or id. Throws when there is none. */
export async function getAccount(client: HostedClient, nameOrId: string): Promise<Account> {
  const found = findByNameOrId(await collect(client.accounts.list()), nameOrId, 'account')
  if (found) return found
  throw new CliError(`there is no account "${nameOrId}"`, {
    hint: '"countersign accounts list" shows all',
    exitCode: EXIT.notFound,
  })
}
