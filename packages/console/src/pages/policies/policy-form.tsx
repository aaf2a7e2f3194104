import type { AuthPolicy, AuthPolicyInput } from '@countersign/sdk'
import { Alert, Group, MultiSelect, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import { FormFrame } from '../../form/form-frame.tsx'
import { required } from '../../form/rules.ts'
import { TagsField } from '../../form/tags-field.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { withChosen } from '../../form/with-chosen.ts'
import { Section } from '../../show/details.tsx'
import { describePolicy } from './describe-policy.ts'
import { Sentences } from './policies-page.tsx'
import { fromPolicy, POLICY_RULES, type PolicyValues, SERVER_FIELDS, toPolicy } from './policy-values.ts'
import { useSignerNames } from './use-signer-names.ts'

interface PolicyFormProps {
  readonly policy?: AuthPolicy
  readonly onSend: (body: AuthPolicyInput) => Promise<void>
  readonly submitLabel: string
}

/** A policy; what it would allow is said in plain words while it is being changed. */
export function PolicyForm({ policy, onSend, submitLabel }: PolicyFormProps) {
  const { signers, nameOf } = useSignerNames()
  const { form, problem, isBusy, submit } = useServerForm<PolicyValues>({
    initialValues: fromPolicy(policy),
    validate: { name: required('The name'), ...POLICY_RULES },
    send: (values) => onSend(toPolicy(values)),
    fieldOf: SERVER_FIELDS,
  })
  const offered = signers.map(({ id, name }) => ({ value: id, label: name }))
  const isOn = (name: keyof PolicyValues) => form.getInputProps(name, { type: 'checkbox' })
  return (
    <FormFrame onSubmit={submit} problem={problem} isBusy={isBusy} submitLabel={submitLabel}>
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <Alert title="This policy means" variant="light">
        <Sentences lines={describePolicy(toPolicy(form.values), nameOf)} />
      </Alert>
      <Section title="Tokens">
        <Switch label="Tokens of signers are allowed" {...isOn('extJwtAllowed')} />
        <MultiSelect
          label="Only of these signers"
          placeholder={form.values.allowedSigners.length === 0 ? 'Any signer' : ''}
          data={withChosen(offered, form.values.allowedSigners)}
          searchable
          disabled={!form.values.extJwtAllowed}
          {...form.getInputProps('allowedSigners')}
        />
      </Section>
      <Section title="Certificates">
        <Switch label="Client certificates are allowed" {...isOn('certAllowed')} />
        <Switch label="Even expired ones" disabled={!form.values.certAllowed} {...isOn('allowExpiredCerts')} />
      </Section>
      <Section title="Passwords">
        <Switch label="Passwords are allowed" {...isOn('updbAllowed')} />
        <Stack gap="xs">
          <Group grow align="start">
            <NumberInput
              label="Shortest password"
              min={5}
              max={100}
              allowDecimal={false}
              {...form.getInputProps('minPasswordLength')}
            />
            <NumberInput
              label="Wrong passwords until locked"
              description="0: never"
              min={0}
              max={1_000_000}
              {...form.getInputProps('maxAttempts')}
            />
          </Group>
          <NumberInput
            label="Locked for (minutes)"
            description="0: until somebody enables it"
            min={0}
            max={1_000_000}
            {...form.getInputProps('lockoutDurationMinutes')}
          />
          <Switch label="Capitals and small letters" {...isOn('requireMixedCase')} />
          <Switch label="A digit" {...isOn('requireNumberChar')} />
          <Switch label="A special character" {...isOn('requireSpecialChar')} />
        </Stack>
      </Section>
      <Section title="Second factor">
        <Switch label="A one-time code is needed" {...isOn('requireTotp')} />
        <Select
          label="A second token is needed, of"
          placeholder="No second token"
          data={withChosen(offered, [form.values.requireExtJwtSigner ?? ''])}
          clearable
          searchable
          {...form.getInputProps('requireExtJwtSigner')}
        />
      </Section>
      <TagsField
        description="For your own use: the controller does nothing with them"
        {...form.getInputProps('tags')}
      />
    </FormFrame>
  )
}
