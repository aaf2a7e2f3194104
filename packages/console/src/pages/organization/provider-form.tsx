import type { ProviderInput } from '@countersign/sdk'
import { PasswordInput, Select, Switch, TextInput } from '@mantine/core'
import type { Provider, ProviderKind } from '../../api/wire.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { atMost, httpsUrl, required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { KIND_LABELS } from './provider-kinds.ts'

interface ProviderFormProps {
  readonly provider?: Provider
  readonly onSend: (body: ProviderInput) => Promise<void>
  readonly submitLabel: string
}

const MAX_TEXT = 512
const KINDS = (Object.entries(KIND_LABELS) as [ProviderKind, string][]).map(([value, label]) => ({ value, label }))

/** Creates or edits an identity provider. Empty fields are filled from its discovery document. */
export function ProviderForm({ provider, onSend, submitLabel }: ProviderFormProps) {
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
      registrationUrl: provider?.registrationUrl ?? '',
      registrationToken: '',
      removesToken: false,
      enabled: provider?.enabled ?? true,
    },
    validate: {
      name: required('The name'),
      issuer: httpsUrl(true),
      audience: (value, { kind }) => (kind === 'cognito' ? null : required('The audience', MAX_TEXT)(value)),
      requiredScope: atMost(MAX_TEXT),
      clientIdClaim: atMost(MAX_TEXT),
      discoveryUrl: httpsUrl(false),
      jwksUri: httpsUrl(false),
      tokenUrl: httpsUrl(false),
      registrationUrl: httpsUrl(false),
    },
    // Empty values are left out: the discovery document supplies them, and a stored token is kept.
    send: ({ name, kind, issuer, removesToken, ...rest }) => {
      const filled = Object.entries(rest).filter(([, value]) => value !== '')
      const clearedToken = removesToken && { registrationToken: '' }
      return onSend({ name, kind, issuer, ...Object.fromEntries(filled), ...clearedToken })
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
        required={form.values.kind !== 'cognito'}
        description="Must be in the token's aud claim"
        {...form.getInputProps('audience')}
      />
      <TextInput label="Required scope" {...form.getInputProps('requiredScope')} />
      <TextInput label="Client id claim" placeholder="Default of its kind" {...form.getInputProps('clientIdClaim')} />
      <TextInput label="Discovery URL" placeholder="Default of the issuer" {...form.getInputProps('discoveryUrl')} />
      <TextInput label="JWKS URI" placeholder="From the discovery document" {...form.getInputProps('jwksUri')} />
      <TextInput label="Token URL" placeholder="From the discovery document" {...form.getInputProps('tokenUrl')} />
      <TextInput
        label="Registration URL"
        placeholder="From the discovery document"
        {...form.getInputProps('registrationUrl')}
      />
      <PasswordInput
        label="Registration token"
        description={
          provider?.hasRegistrationToken
            ? 'A token is stored, sealed. Enter one to replace it.'
            : 'If the provider requires one to register clients'
        }
        autoComplete="off"
        disabled={form.values.removesToken}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the registration token' }}
        {...form.getInputProps('registrationToken')}
      />
      {provider?.hasRegistrationToken && (
        <Switch label="Delete the registration token" {...form.getInputProps('removesToken', { type: 'checkbox' })} />
      )}
      <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormFrame>
  )
}
