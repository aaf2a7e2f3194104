import type { ClientSigner } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'

/** The signer with this name or id. Throws when the controller does not offer it. */
export function chooseSigner(signers: readonly ClientSigner[], wanted: string): ClientSigner {
  const found = signers.find(({ name, id }) => name === wanted || id === wanted)
  if (found) return found
  const names = signers.map(({ name }) => name).join(', ')
  throw new CliError(`the controller offers no signer "${wanted}"`, {
    hint: names ? `there are: ${names}` : 'it offers none: signers must be enabled',
    exitCode: EXIT.notFound,
  })
}
