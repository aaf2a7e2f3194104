import type { ProviderChanges, ProviderInput } from '@countersign/sdk'
import { Select, Switch, TextInput } from '@mantine/core'
import type { Provider, ProviderKind } from '../../api/wire.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { atMost, httpsUrl, required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { AdministrationFields } from './administration-fields.tsx'
import { ADMINISTRATION_RULES, administrationBody, administrationValues } from './administration-values.ts'
import { KIND_LABELS } from './provider-kinds.ts'

interface ProviderFormProps {
  readonly provider?: Provider
  readonly onSend: (body: ProviderInput, changed: ProviderChanges) => Promise<void>
  readonly submitLabel: string
}

const MAX_TEXT = 512
const KINDS = (Object.entries(KIND_LABELS) as [ProviderKind, string][]).map(([value, label]) => ({ value, label }))

/** Creates or edits an identity provider. Empty fields of a new one are filled from its discovery document. */
export function ProviderForm({ provider, onSend, submitLabel }: ProviderFormProps) {
  const isNew = provider === undefined
  const discovered = isNew ? 'From the discovery document' : ''
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: {
      name: provider?.name ?? '',
      kind: provider?.kind ?? ('oidc' as ProviderKind),
      issuer: provider?.issuer ?? '',
      audience: provider?.audience ?? '',
      requiredScope: provider?.requiredScope ?? '',
      clientIdClaim: provider?.clientIdClaim ?? '',
      discoveryUrl: provider?.discoveryUrl ?? '',
      jwksUri: provider?.jwksUri ?? '',
      tokenUrl: provider?.tokenUrl ?? '',
      ...administrationValues(provider),
      enabled: provider?.enabled ?? true,
    },
    validate: {
      name: required('The name'),
      issuer: httpsUrl(true),
      audience: (value, { kind }) => (kind === 'auth0' ? required('The audience', MAX_TEXT) : atMost(MAX_TEXT))(value),
      requiredScope: atMost(MAX_TEXT),
      clientIdClaim: atMost(MAX_TEXT),
      discoveryUrl: httpsUrl(false),
      jwksUri: httpsUrl(!isNew),
      tokenUrl: httpsUrl(false),
      administration: ADMINISTRATION_RULES,
    },
    toBody: ({ administrationKind, administration, secret, removesSecret, ...rest }) => ({
      ...rest,
      ...administrationBody({ administrationKind, administration, secret, removesSecret }),
    }),
    // A new record has no empty values: the discovery document supplies them.
    send: ({ name, kind, issuer, ...rest }, changed) => {
      const filled = Object.entries(rest).filter(([, value]) => value !== '')
      return onSend({ name, kind, issuer, ...Object.fromEntries(filled) }, changed)
    },
  })
  return (
    <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel={submitLabel}>
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <Select label="Kind" data={KINDS} allowDeselect={false} {...form.getInputProps('kind')} />
      <TextInput
        label="Issuer"
        required
        description="Must equal the iss claim exactly, including a trailing slash"
        {...form.getInputProps('issuer')}
      />
      <TextInput
        label="Audience"
        required={form.values.kind === 'auth0'}
        placeholder={isNew && form.values.kind === 'oidc' ? 'That of the organization' : ''}
        description="Must be in the token's aud claim"
        {...form.getInputProps('audience')}
      />
      <TextInput label="Required scope" {...form.getInputProps('requiredScope')} />
      <TextInput label="Client id claim" placeholder="Default of its kind" {...form.getInputProps('clientIdClaim')} />
      <TextInput
        label="Discovery URL"
        placeholder={isNew ? 'Default of the issuer' : ''}
        {...form.getInputProps('discoveryUrl')}
      />
      <TextInput label="JWKS URI" required={!isNew} placeholder={discovered} {...form.getInputProps('jwksUri')} />
      <TextInput label="Token URL" placeholder={discovered} {...form.getInputProps('tokenUrl')} />
      <AdministrationFields form={form as never} provider={provider} />
      <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormFrame>
  )
}
