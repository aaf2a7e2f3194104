import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { Select, Switch, TextInput } from '@mantine/core'
import { FieldLabel } from '../../../show/field-label.tsx'
import { SIGNAL_EVENTS } from '../shared-signals.ts'
import { type SignerFormProps, signerField } from './signer-field.tsx'

const SIGNAL_ACTIONS = [
  { value: 'end-sessions', label: 'End sessions' },
  { value: 'disable', label: 'Disable' },
  { value: 'enable', label: 'Enable' },
  { value: 'log', label: 'Log' },
]

/** Security events of the provider, and what they do. */
export function SignalFields({ form }: SignerFormProps) {
  const field = signerField(form)
  return (
    <>
      <Switch
        label={
          <FieldLabel members={SIGNER.members} name="sharedSignals">
            Receive security events
          </FieldLabel>
        }
        description="Shared Signals: the identity provider reports revoked sessions and disabled accounts"
        {...form.getInputProps('sharedSignals.isOn', { type: 'checkbox' })}
      />
      {form.values.sharedSignals.isOn && (
        <>
          <TextInput {...field('sharedSignals.audience', 'Audience of events')} />
          <TextInput {...field('sharedSignals.issuer', 'Issuer of events')} placeholder="The issuer of tokens" />
          <TextInput {...field('sharedSignals.jwksUri', 'JWKS URI of events')} placeholder="The keys of tokens" />
          {SIGNAL_EVENTS.map(({ name, usual }) => (
            <Select
              key={name}
              {...field(`sharedSignals.actions.${name}`, name)}
              allowDeselect={false}
              data={[{ value: '', label: `Default: ${usual}` }, ...SIGNAL_ACTIONS]}
            />
          ))}
        </>
      )}
    </>
  )
}
