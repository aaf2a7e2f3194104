import type { Signer, SignerInput } from '@countersign/sdk'
import {
  Accordion,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { FormFrame } from '../../form/form-frame.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { PolicySelect } from '../policies/policy-select.tsx'
import { DiscoverIssuer } from './discover-issuer.tsx'
import { SIGNER_RULES, type SignerValues, toBody, toValues } from './signer-values.ts'

interface SignerFormProps {
  readonly signer?: Signer
  readonly onSend: (body: SignerInput) => Promise<void>
  readonly submitLabel: string
}

type Fields = { readonly form: UseFormReturnType<SignerValues> }

/** A signer, new or not: what tokens it takes first, the rest folded away. */
export function SignerForm({ signer, onSend, submitLabel }: SignerFormProps) {
  const { form, problem, isBusy, submit } = useServerForm<SignerValues>({
    initialValues: toValues(signer),
    validate: SIGNER_RULES,
    send: (values) => onSend(toBody(values, signer)),
    fieldOf: { fingerprint: 'certPem' },
  })
  return (
    <FormFrame onSubmit={submit} problem={problem} isBusy={isBusy} submitLabel={submitLabel}>
      <Stack gap={4}>
        <SegmentedControl
          aria-label="Where the keys come from"
          data={[
            { value: 'jwks', label: 'From the issuer' },
            { value: 'certificate', label: 'A certificate' },
          ]}
          {...form.getInputProps('source')}
        />
      </Stack>
      {form.values.source === 'jwks' ? (
        <DiscoverIssuer form={form} />
      ) : (
        <TextInput
          label="Issuer"
          required
          description="Exactly as the claim iss has it"
          {...form.getInputProps('issuer')}
        />
      )}
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <TextInput
        label="Audience"
        required
        description="What tokens must be for: their claim aud"
        {...form.getInputProps('audience')}
      />
      {form.values.source === 'jwks' ? (
        <TextInput
          label="JWKS endpoint"
          required
          description="Where the provider publishes its keys"
          {...form.getInputProps('jwksEndpoint')}
        />
      ) : (
        <CertificateFields form={form} />
      )}
      <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
      <Accordion variant="contained" multiple defaultValue={[]}>
        <Part value="who" title="Who somebody is">
          <TextInput
            label="Claim"
            placeholder="/sub"
            description="A name such as email, or a JSON pointer such as /realm/user"
            {...form.getInputProps('claimsProperty')}
          />
          <Switch
            label="The claim equals the identity's external id (otherwise its id)"
            {...form.getInputProps('useExternalId', { type: 'checkbox' })}
          />
        </Part>
        <Part value="browser" title="Signing in with a browser">
          <BrowserFields form={form} />
        </Part>
        <Part value="enroll" title="Enrollment by token">
          <EnrollFields form={form} />
        </Part>
        <Part value="time" title="Time">
          <Group grow align="start">
            <NumberInput label="Clock may be off by (s)" min={0} max={60} {...form.getInputProps('clockSkewSeconds')} />
            <NumberInput
              label="Oldest token (s)"
              min={1}
              max={31_536_000}
              {...form.getInputProps('maxTokenAgeSeconds')}
            />
          </Group>
        </Part>
      </Accordion>
    </FormFrame>
  )
}

function Part({ value, title, children }: { value: string; title: string; children: React.ReactNode }) {
  return (
    <Accordion.Item value={value}>
      <Accordion.Control>{title}</Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm">{children}</Stack>
      </Accordion.Panel>
    </Accordion.Item>
  )
}

function CertificateFields({ form }: Fields) {
  return (
    <>
      <Textarea
        label="Certificate"
        required
        description="PEM text. What is in it is shown once it is saved."
        autosize
        minRows={5}
        maxRows={12}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
        {...form.getInputProps('certPem')}
      />
      <TextInput
        label="Key id"
        description="Without it, the certificate's fingerprint"
        {...form.getInputProps('kid')}
      />
    </>
  )
}

function BrowserFields({ form }: Fields) {
  return (
    <>
      <TextInput label="OpenID configuration" {...form.getInputProps('openIdConfigurationUrl')} />
      <TextInput label="Client id" {...form.getInputProps('clientId')} />
      <TagsInput
        label="Scopes"
        description="Enter after each"
        splitChars={[' ', ',']}
        {...form.getInputProps('scopes')}
      />
      <TextInput
        label="Sign-in address"
        description="Only for providers without an OpenID configuration"
        {...form.getInputProps('externalAuthUrl')}
      />
      <Select
        label="Token to present"
        allowDeselect={false}
        data={[
          { value: 'ACCESS', label: 'Access token' },
          { value: 'ID', label: 'ID token' },
        ]}
        {...form.getInputProps('targetToken')}
      />
    </>
  )
}

function EnrollFields({ form }: Fields) {
  return (
    <>
      <Switch
        label="Somebody with a token may enroll for a certificate"
        {...form.getInputProps('enrollToCertEnabled', { type: 'checkbox' })}
      />
      <Switch
        label="Somebody with a token may enroll and go on with tokens"
        {...form.getInputProps('enrollToTokenEnabled', { type: 'checkbox' })}
      />
      <TextInput label="Name from the claim" placeholder="/sub" {...form.getInputProps('enrollNameClaimsSelector')} />
      <TextInput label="Attributes from the claim" {...form.getInputProps('enrollAttributeClaimsSelector')} />
      <PolicySelect label="Policy of those who enroll" {...form.getInputProps('enrollAuthPolicyId')} />
    </>
  )
}
