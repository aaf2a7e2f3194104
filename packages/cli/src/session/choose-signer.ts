import type { ClientSigner } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import { findByNameOrId } from '../resources/find-by-name-or-id.ts'

/** The signer with this name or id. Throws when the controller does not offer it. */
export function chooseSigner(signers: readonly ClientSigner[], nameOrId: string): ClientSigner {
  const found = findByNameOrId(signers, nameOrId, 'signer')
  if (found) return found
  const names = signers.map(({ name }) => name).join(', ')
  throw new CliError(`the controller offers no signer "${nameOrId}"`, {
    hint: names ? `it offers: ${names}` : 'it offers none: enable a signer first',
    exitCode: EXIT.notFound,
  })
}
