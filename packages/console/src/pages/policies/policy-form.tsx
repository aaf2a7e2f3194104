import type { AuthPolicy, AuthPolicyInput } from '@countersign/sdk'
import { Alert, MultiSelect, NumberInput, Select, SimpleGrid, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import { FormFrame } from '../../form/form-frame.tsx'
import { proposedChange } from '../../form/proposed-change.ts'
import { RuleField } from '../../form/rule-field.tsx'
import { required } from '../../form/rules.ts'
import { TagsField } from '../../form/tags-field.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { withSelected } from '../../form/with-selected.ts'
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

/** Creates or edits a policy, with a summary that follows the form. */
export function PolicyForm({ policy, onSend, submitLabel }: PolicyFormProps) {
  const { signers, nameOf } = useSignerNames()
  const { form, formError, isBusy, submit } = useServerForm<PolicyValues>({
    initialValues: fromPolicy(policy),
    validate: { name: required('The name'), ...POLICY_RULES },
    send: (values) => onSend(toPolicy(values)),
    fieldOf: SERVER_FIELDS,
  })
  const options = signers.map(({ id, name }) => ({ value: id, label: name }))
  const switchProps = (name: keyof PolicyValues) => form.getInputProps(name, { type: 'checkbox' })
  return (
    <FormFrame
      onSubmit={submit}
      error={formError}
      isBusy={isBusy}
      submitLabel={submitLabel}
      need={policy ? 'PUT /auth-policies/:id' : 'POST /auth-policies'}
      readChange={() => {
        const body = toPolicy(form.values)
        return proposedChange('auth-policy', policy?.id, { body, changed: body })
      }}
    >
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <Alert title="Summary" variant="light">
        <Sentences lines={describePolicy(toPolicy(form.values), nameOf)} />
      </Alert>
      <Section title="Tokens">
        <Switch label="Allow login by token" {...switchProps('extJwtAllowed')} />
        <MultiSelect
          label="Allowed signers"
          placeholder={form.values.allowedSigners.length === 0 ? 'Any signer' : ''}
          data={withSelected(options, form.values.allowedSigners)}
          searchable
          disabled={!form.values.extJwtAllowed}
          {...form.getInputProps('allowedSigners')}
        />
        <TagsInput
          label="Required acr"
          description="The token must have one of these; press Enter after each"
          acceptValueOnBlur
          disabled={!form.values.extJwtAllowed}
          {...form.getInputProps('requireAcr')}
        />
        <TagsInput
          label="Required amr"
          description="The token must have all of these; press Enter after each"
          acceptValueOnBlur
          disabled={!form.values.extJwtAllowed}
          {...form.getInputProps('requireAmr')}
        />
        <NumberInput
          label="Max authentication age (seconds)"
          description="Longest accepted time since the login at the identity provider (auth_time)"
          placeholder="Unlimited"
          min={1}
          max={315_360_000}
          allowDecimal={false}
          disabled={!form.values.extJwtAllowed}
          {...form.getInputProps('maxAuthAgeSeconds')}
        />
      </Section>
      <Section title="Certificates">
        <Switch label="Allow login by certificate" {...switchProps('certAllowed')} />
        <Switch
          label="Allow expired certificates"
          disabled={!form.values.certAllowed}
          {...switchProps('allowExpiredCerts')}
        />
      </Section>
      <Section title="Passwords">
        <Switch label="Allow login by password" {...switchProps('updbAllowed')} />
        <Stack gap="xs">
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NumberInput
              label="Minimum password length"
              min={5}
              max={100}
              allowDecimal={false}
              {...form.getInputProps('minPasswordLength')}
            />
            <NumberInput
              label="Max attempts"
              description="Wrong passwords until the identity is locked; 0: never"
              min={0}
              max={1_000_000}
              {...form.getInputProps('maxAttempts')}
            />
          </SimpleGrid>
          <NumberInput
            label="Lockout duration (minutes)"
            description="0: until an administrator enables the identity"
            min={0}
            max={1_000_000}
            {...form.getInputProps('lockoutDurationMinutes')}
          />
          <Switch label="Require mixed case" {...switchProps('requireMixedCase')} />
          <Switch label="Require a digit" {...switchProps('requireNumberChar')} />
          <Switch label="Require a special character" {...switchProps('requireSpecialChar')} />
        </Stack>
      </Section>
      <Section title="Passkeys">
        <Switch
          label="Allow login by passkey"
          description="Without a user name; the device verifies its user by PIN, fingerprint or face"
          {...switchProps('passkeyAllowed')}
        />
      </Section>
      <Section title="Second factor">
        <Switch label="Require a one-time code (TOTP)" {...switchProps('requireTotp')} />
        <Switch
          label="Require a passkey"
          description="Unless the login was by passkey. Open the console under its host name: an IP address has no passkeys"
          {...switchProps('requirePasskey')}
        />
        <Select
          label="Require a token of signer"
          placeholder="No second token"
          data={withSelected(options, [form.values.requireExtJwtSigner ?? ''])}
          clearable
          searchable
          {...form.getInputProps('requireExtJwtSigner')}
        />
      </Section>
      <Section title="Rule">
        <RuleField
          label="Accept rule"
          description="A CEL expression that must be true for each login and each request, over claims, signer, identity and request"
          placeholder={'inCidr(request.address, "10.0.0.0/8")'}
          {...form.getInputProps('acceptRule')}
        />
      </Section>
      <Section title="Sessions">
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NumberInput
            label="Idle time (minutes)"
            description="A session that is not used for so many minutes ends"
            placeholder="As the controller's settings"
            min={1}
            max={5_256_000}
            allowDecimal={false}
            {...form.getInputProps('idleMinutes')}
          />
          <NumberInput
            label="Maximum time (minutes)"
            description="Every session ends after so many minutes"
            placeholder="As the controller's settings"
            min={1}
            max={5_256_000}
            allowDecimal={false}
            {...form.getInputProps('maxMinutes')}
          />
        </SimpleGrid>
        <Switch
          label="End with the token"
          description="A session ends when the token that opened it expires"
          {...switchProps('endWithToken')}
        />
      </Section>
      <Section title="Issued certificates">
        <NumberInput
          label="Validity (days)"
          description="New and renewed certificates are valid for at most so many days"
          placeholder="As the controller's settings"
          min={1}
          max={3650}
          allowDecimal={false}
          {...form.getInputProps('certificateMaxDays')}
        />
        <Switch
          label="Renew only with a token"
          description="A renewal needs a token of the signer that enrolled the identity: those who leave cannot renew"
          {...switchProps('renewalNeedsToken')}
        />
        {form.values.renewalNeedsToken && (
          <NumberInput
            label="Grace (hours)"
            description="After a token, renewals need none for so many hours. 0: every renewal needs one"
            min={0}
            max={8760}
            allowDecimal={false}
            {...form.getInputProps('renewalGraceHours')}
          />
        )}
      </Section>
      <TagsField description="For your own use: the controller ignores them" {...form.getInputProps('tags')} />
    </FormFrame>
  )
}
