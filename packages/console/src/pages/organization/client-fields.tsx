import { Switch, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { required } from '../../form/rules.ts'

/** An account can use an existing client of its provider instead of a new one. */
export interface ClientValues {
  readonly hasClient: boolean
  readonly clientId: string
  readonly proofToken: string
}

export const NO_CLIENT: ClientValues = { hasClient: false, clientId: '', proofToken: '' }

/** The members of the request that name an existing client. */
export function existingClient({ hasClient, clientId, proofToken }: ClientValues) {
  return hasClient ? { clientId, ...(proofToken && { proofToken: proofToken.trim() }) } : {}
}

export function checkClientId(clientId: string, { hasClient }: ClientValues) {
  return hasClient ? required('The client id')(clientId) : null
}

interface ClientFieldsProps {
  readonly label: string
  readonly form: Pick<UseFormReturnType<ClientValues>, 'values' | 'getInputProps'>
}

export function ClientFields({ label, form }: ClientFieldsProps) {
  return (
    <>
      <Switch label={label} {...form.getInputProps('hasClient', { type: 'checkbox' })} />
      {form.values.hasClient && (
        <>
          <TextInput
            label="Client id"
            required
            description="Nothing is registered, and there is no credentials file to download"
            {...form.getInputProps('clientId')}
          />
          <Textarea
            label="Proof token"
            description="A current access token of this client. Needed when other accounts of the issuer have their client id in another claim"
            autosize
            maxRows={4}
            {...form.getInputProps('proofToken')}
          />
        </>
      )}
    </>
  )
}
