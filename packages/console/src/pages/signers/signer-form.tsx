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
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { FormFrame } from '../../form/form-frame.tsx'
import { PemField } from '../../form/pem-field.tsx'
import { TagsField } from '../../form/tags-field.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { PolicySelect } from '../policies/policy-select.tsx'
import { CertificateFields } from './certificate-fields.tsx'
import { DiscoverIssuer } from './discover-issuer.tsx'
import { RequiredClaimsFields } from './required-claims-fields.tsx'
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
  const isFetched = form.values.source === 'jwks'
  return (
    <FormFrame onSubmit={submit} problem={problem} isBusy={isBusy} submitLabel={submitLabel}>
      <SegmentedControl
        aria-label="Where the keys come from"
        data={[
          { value: 'jwks', label: 'From the issuer' },
          { value: 'certificate', label: 'A certificate' },
        ]}
        {...form.getInputProps('source')}
      />
      {isFetched ? (
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
      {isFetched ? (
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
      <FoldedParts form={form} />
    </FormFrame>
  )
}

interface FoldedPart {
  readonly value: string
  readonly title: string
  /** A part that has a field with an error is open. */
  readonly fields: readonly (keyof SignerValues)[]
  readonly content: (form: UseFormReturnType<SignerValues>) => ReactNode
  readonly isOnlyFor?: SignerValues['source']
}

const PARTS: readonly FoldedPart[] = [
  {
    value: 'who',
    title: 'Who somebody is',
    fields: ['claimsProperty'],
    content: (form) => <WhoFields form={form} />,
  },
  {
    value: 'taken',
    title: 'Which tokens are taken',
    fields: ['additionalAudiences', 'requiredClaims', 'clockSkewSeconds', 'maxTokenAgeSeconds'],
    content: (form) => <TakenFields form={form} />,
  },
  {
    value: 'browser',
    title: 'Signing in with a browser',
    fields: ['openIdConfigurationUrl', 'clientId', 'scopes', 'externalAuthUrl', 'targetToken'],
    content: (form) => <BrowserFields form={form} />,
  },
  {
    value: 'enroll',
    title: 'Enrollment by token',
    fields: [
      'enrollToCertEnabled',
      'enrollToTokenEnabled',
      'enrollNameClaimsSelector',
      'enrollAttributeClaimsSelector',
      'enrollAuthPolicyId',
    ],
    content: (form) => <EnrollFields form={form} />,
  },
  {
    value: 'fetching',
    title: 'Fetching the keys',
    fields: ['jwksCaPem'],
    content: (form) => <FetchFields form={form} />,
    isOnlyFor: 'jwks',
  },
  {
    value: 'tags',
    title: 'Tags',
    fields: ['tags'],
    content: (form) => <TagsField description="Your own notes" {...form.getInputProps('tags')} />,
  },
]

function FoldedParts({ form }: Fields) {
  const [opened, setOpened] = useState<string[]>([])
  const shown = PARTS.filter(({ isOnlyFor }) => !isOnlyFor || isOnlyFor === form.values.source)
  const wrong = Object.keys(form.errors).map((path) => path.split('.', 1)[0])
  const faulty = shown.filter(({ fields }) => fields.some((field) => wrong.includes(field)))
  const open = new Set([...opened, ...faulty.map(({ value }) => value)])
  return (
    <Accordion variant="contained" multiple value={[...open]} onChange={setOpened}>
      {shown.map(({ value, title, content }) => (
        <Accordion.Item key={value} value={value}>
          <Accordion.Control>{title}</Accordion.Control>
          <Accordion.Panel>
            <Stack gap="sm">{content(form)}</Stack>
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  )
}

function WhoFields({ form }: Fields) {
  return (
    <>
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
    </>
  )
}

function TakenFields({ form }: Fields) {
  return (
    <>
      <TagsInput
        label="Additional audiences"
        description="Accepted beside the audience; Enter after each"
        acceptValueOnBlur
        {...form.getInputProps('additionalAudiences')}
      />
      <RequiredClaimsFields form={form} />
      <Group grow align="start">
        <NumberInput
          label="Clock may be off by (s)"
          min={0}
          max={60}
          allowDecimal={false}
          {...form.getInputProps('clockSkewSeconds')}
        />
        <NumberInput
          label="Longest life of a token (s)"
          placeholder="Any"
          description="From iat to exp"
          min={1}
          max={31_536_000}
          allowDecimal={false}
          {...form.getInputProps('maxTokenAgeSeconds')}
        />
      </Group>
    </>
  )
}

function BrowserFields({ form }: Fields) {
  return (
    <>
      <TextInput label="OpenID configuration" {...form.getInputProps('openIdConfigurationUrl')} />
      <TextInput
        label="Client id"
        description="With both, the sign-in page offers a button for this provider"
        {...form.getInputProps('clientId')}
      />
      <TagsInput
        label="Scopes"
        description="Enter after each"
        splitChars={[' ', ',']}
        acceptValueOnBlur
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
      <TextInput
        label="Attributes from the claim"
        placeholder="None"
        {...form.getInputProps('enrollAttributeClaimsSelector')}
      />
      <PolicySelect label="Policy of those who enroll" {...form.getInputProps('enrollAuthPolicyId')} />
    </>
  )
}

function FetchFields({ form }: Fields) {
  return (
    <PemField
      label="CA certificates"
      description="Trusted for the JWKS endpoint beside those of the system, where the provider has a CA of its own"
      {...form.getInputProps('jwksCaPem')}
    />
  )
}
