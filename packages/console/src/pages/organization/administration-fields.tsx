import type { ProviderInput } from '@countersign/sdk'
import { PasswordInput, Select, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { AdministrationKind, Provider } from '../../api/wire.ts'
import { httpsUrl, required } from '../../form/rules.ts'
import { ADMINISTRATIONS, type AdministrationField } from './administration-kinds.ts'

/** `discovered`: the record has none of its own, so that the discovery document may name a registration endpoint. */
export interface AdministrationValues {
  readonly administrationKind: AdministrationKind | 'discovered'
  readonly administration: Readonly<Record<AdministrationField['name'], string>>
  readonly secret: string
  readonly removesSecret: boolean
}

const DISCOVERED = { value: 'discovered', label: 'From the discovery document, else by hand' }
const KINDS = Object.entries(ADMINISTRATIONS).map(([value, { label }]) => ({ value, label }))
const NO_FIELDS = {
  registrationUrl: '',
  url: '',
  realm: '',
  clientId: '',
  accessKeyId: '',
  scope: '',
  managementAudience: '',
}

export function administrationValues(provider: Provider | undefined): AdministrationValues {
  const { kind, ...members } = provider?.administration ?? {}
  const texts = Object.entries(members).filter(([, value]) => typeof value === 'string')
  return {
    administrationKind: kind ?? (provider ? 'manual' : 'discovered'),
    administration: { ...NO_FIELDS, ...Object.fromEntries(texts) },
    secret: '',
    removesSecret: false,
  }
}

/** The member `administration` of the request. An empty secret is left out: the stored one is kept. */
export function administrationBody(values: AdministrationValues): Pick<ProviderInput, 'administration'> {
  const { administrationKind: kind, administration, secret, removesSecret } = values
  if (kind === 'discovered') return {}
  const form = ADMINISTRATIONS[kind]
  const filled = form.fields.flatMap(({ name }) => (administration[name] === '' ? [] : [[name, administration[name]]]))
  const given =
    form.secret && (secret !== '' || removesSecret) ? { [form.secret.name]: removesSecret ? '' : secret } : {}
  return { administration: { kind, ...Object.fromEntries(filled), ...given } }
}

/** Returns the rules of the fields of the chosen kind, by their path in the form. */
export const ADMINISTRATION_RULES = Object.fromEntries(
  Object.keys(NO_FIELDS).map((name) => [
    name,
    (value: string, { administrationKind }: AdministrationValues): string | null => {
      if (administrationKind === 'discovered') return null
      const field = ADMINISTRATIONS[administrationKind].fields.find((one) => one.name === name)
      if (!field) return null
      if (name === 'url' || name === 'registrationUrl') return httpsUrl(field.isRequired)(value)
      return field.isRequired ? required(field.label)(value) : null
    },
  ]),
) as Readonly<Record<AdministrationField['name'], (value: string, values: AdministrationValues) => string | null>>

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
