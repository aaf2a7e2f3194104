import type { ProviderInput } from '@countersign/sdk'
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
