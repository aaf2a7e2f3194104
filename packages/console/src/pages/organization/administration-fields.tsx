import { PasswordInput, Select, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Provider } from '../../api/wire.ts'
import { ADMINISTRATIONS } from './administration-kinds.ts'
import type { AdministrationValues } from './administration-values.ts'

const DISCOVERED = { value: 'discovered', label: 'From the discovery document, else by hand' }
const KINDS = Object.entries(ADMINISTRATIONS).map(([value, { label }]) => ({ value, label }))

interface AdministrationFieldsProps {
  readonly form: Pick<UseFormReturnType<AdministrationValues>, 'values' | 'getInputProps'>
  readonly provider: Provider | undefined
}

/** How clients of API accounts are created at the provider. */
export function AdministrationFields({ form, provider }: AdministrationFieldsProps) {
  const { administrationKind: kind, removesSecret } = form.values
  const chosen = kind === 'discovered' ? undefined : ADMINISTRATIONS[kind]
  const hasSecret = kind === provider?.administration?.kind && isSecretSet(provider)
  return (
    <>
      <Select
        label="Administration"
        description="How the controller creates and deletes clients of API accounts at the provider"
        data={provider ? KINDS : [DISCOVERED, ...KINDS]}
        allowDeselect={false}
        {...form.getInputProps('administrationKind')}
      />
      {chosen?.fields.map(({ name, label, isRequired, description }) => (
        <TextInput
          key={name}
          label={label}
          required={isRequired}
          description={description}
          {...form.getInputProps(`administration.${name}`)}
        />
      ))}
      {chosen?.secret && (
        <PasswordInput
          label={chosen.secret.label}
          description={hasSecret ? 'One is stored, sealed. Enter one to replace it.' : 'Stored sealed, never shown'}
          autoComplete="off"
          disabled={removesSecret}
          visibilityToggleButtonProps={{ 'aria-label': `Show the ${chosen.secret.label.toLowerCase()}` }}
          {...form.getInputProps('secret')}
        />
      )}
      {chosen?.secret && hasSecret && (
        <Switch
          label={`Delete the ${chosen.secret.label.toLowerCase()}`}
          {...form.getInputProps('removesSecret', { type: 'checkbox' })}
        />
      )}
    </>
  )
}

function isSecretSet({ administration }: Provider): boolean {
  const { registrationTokenSet, clientSecretSet, secretAccessKeySet } = administration ?? {}
  return Boolean(registrationTokenSet || clientSecretSet || secretAccessKeySet)
}
