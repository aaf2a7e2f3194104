import type { ProviderInput } from '@countersign/sdk'
import { PasswordInput, Select, Switch, TextInput } from '@mantine/core'
import type { Provider, ProviderKind } from '../../api/wire.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { atMost, httpsAddress, required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { KIND_LABELS } from './provider-kinds.ts'

interface ProviderFormProps {
  readonly provider?: Provider
  readonly onSend: (body: ProviderInput) => Promise<void>
  readonly submitLabel: string
}

const MAX_TEXT = 512
const KINDS = (Object.entries(KIND_LABELS) as [ProviderKind, string][]).map(([value, label]) => ({ value, label }))

/** An identity provider of the organization. What is left empty comes from its discovery document. */
export function ProviderForm({ provider, onSend, submitLabel }: ProviderFormProps) {
  const { form, problem, isBusy, submit } = useServerForm({
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
      forgetsToken: false,
      enabled: provider?.enabled ?? true,
    },
    validate: {
      name: required('The name'),
      issuer: httpsAddress(true),
      audience: (value, { kind }) => (kind === 'cognito' ? null : required('The audience', MAX_TEXT)(value)),
      requiredScope: atMost(MAX_TEXT),
      clientIdClaim: atMost(MAX_TEXT),
      discoveryUrl: httpsAddress(false),
      jwksUri: httpsAddress(false),
      tokenUrl: httpsAddress(false),
      registrationUrl: httpsAddress(false),
    },
    // What is empty is left out: the discovery document stands, and a token that is kept.
    send: ({ name, kind, issuer, forgetsToken, ...rest }) => {
      const given = Object.entries(rest).filter(([, value]) => value !== '')
      const forgotten = forgetsToken && { registrationToken: '' }
      return onSend({ name, kind, issuer, ...Object.fromEntries(given), ...forgotten })
    },
  })
  return (
    <FormFrame onSubmit={submit} problem={problem} isBusy={isBusy} submitLabel={submitLabel}>
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <Select label="Kind" data={KINDS} allowDeselect={false} {...form.getInputProps('kind')} />
      <TextInput
        label="Issuer"
        required
        description="Exactly as tokens have it, with its slash or without"
        {...form.getInputProps('issuer')}
      />
      <TextInput
        label="Audience"
        required={form.values.kind !== 'cognito'}
        description="What tokens must be for"
        {...form.getInputProps('audience')}
      />
      <TextInput label="Required scope" {...form.getInputProps('requiredScope')} />
      <TextInput
        label="Claim with the client id"
        placeholder="The usual one of its kind"
        {...form.getInputProps('clientIdClaim')}
      />
      <TextInput
        label="Discovery document"
        placeholder="The usual one of the issuer"
        {...form.getInputProps('discoveryUrl')}
      />
      <TextInput label="Keys (JWKS) at" placeholder="From the discovery document" {...form.getInputProps('jwksUri')} />
      <TextInput label="Tokens at" placeholder="From the discovery document" {...form.getInputProps('tokenUrl')} />
      <TextInput
        label="Registration of clients at"
        placeholder="From the discovery document"
        {...form.getInputProps('registrationUrl')}
      />
      <PasswordInput
        label="Registration token"
        description={
          provider?.hasRegistrationToken
            ? 'One is kept, sealed. Type to replace it.'
            : 'If the provider wants one before it registers clients'
        }
        autoComplete="off"
        disabled={form.values.forgetsToken}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the registration token' }}
        {...form.getInputProps('registrationToken')}
      />
      {provider?.hasRegistrationToken && (
        <Switch label="Forget the registration token" {...form.getInputProps('forgetsToken', { type: 'checkbox' })} />
      )}
      <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormFrame>
  )
}
