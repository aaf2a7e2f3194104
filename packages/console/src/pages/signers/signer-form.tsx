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
import { ClaimRowsField } from '../../form/claim-rows-field.tsx'
import { FormFrame } from '../../form/form-frame.tsx'
import { PemField } from '../../form/pem-field.tsx'
import { TagsField } from '../../form/tags-field.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { PolicySelect } from '../policies/policy-select.tsx'
import { CertificateFields } from './certificate-fields.tsx'
import { DiscoverIssuer } from './discover-issuer.tsx'
import { SIGNAL_EVENTS } from './shared-signals.ts'
import { SIGNER_RULES, type SignerValues, toBody, toValues } from './signer-values.ts'

interface SignerFormProps {
  readonly signer?: Signer
  readonly onSend: (body: SignerInput, changed: Partial<SignerInput>) => Promise<void>
  readonly submitLabel: string
}

type Fields = { readonly form: UseFormReturnType<SignerValues> }

/** Creates or edits a signer. Optional settings are in collapsed sections. */
export function SignerForm({ signer, onSend, submitLabel }: SignerFormProps) {
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: toValues(signer),
    validate: SIGNER_RULES,
    toBody,
    send: onSend,
    fieldOf: { fingerprint: 'certPem' },
  })
  const isFetched = form.values.source === 'jwks'
  return (
    <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel={submitLabel}>
      <SegmentedControl
        aria-label="Key source"
        data={[
          { value: 'jwks', label: 'Keys from the issuer (JWKS)' },
          { value: 'certificate', label: 'Certificate' },
        ]}
        {...form.getInputProps('source')}
      />
      {isFetched ? (
        <DiscoverIssuer form={form} />
      ) : (
        <TextInput
          label="Issuer"
          required
          description="Must equal the iss claim exactly"
          {...form.getInputProps('issuer')}
        />
      )}
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <TextInput
        label="Audience"
        required
        description="Must be in the token's aud claim"
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
      <CollapsedSections form={form} />
    </FormFrame>
  )
}

interface FormSection {
  readonly value: string
  readonly title: string
  /** A section opens when one of these has an error. */
  readonly fields: readonly (keyof SignerValues)[]
  readonly content: (form: UseFormReturnType<SignerValues>) => ReactNode
  readonly isOnlyFor?: SignerValues['source']
}

const SECTIONS: readonly FormSection[] = [
  {
    value: 'identity',
    title: 'Identity claim',
    fields: ['claimsProperty'],
    content: (form) => <IdentityClaimFields form={form} />,
  },
  {
    value: 'checks',
    title: 'Token checks',
    fields: ['additionalAudiences', 'requiredClaims', 'clockSkewSeconds', 'maxTokenAgeSeconds'],
    content: (form) => <TokenCheckFields form={form} />,
  },
  {
    value: 'browser',
    title: 'Browser login',
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
      'attributeSync',
      'nameSync',
      'provisionOnLogin',
      'reprovisionAfterMinutes',
    ],
    content: (form) => <EnrollFields form={form} />,
  },
  {
    value: 'signals',
    title: 'Security events',
    fields: ['sharedSignals'],
    content: (form) => <SignalFields form={form} />,
  },
  {
    value: 'scim',
    title: 'SCIM',
    fields: ['scimIdentityAttribute', 'scimGroupAttributeTemplate'],
    content: (form) => <ScimFields form={form} />,
  },
  {
    value: 'fetching',
    title: 'Key fetching',
    fields: ['jwksCaPem'],
    content: (form) => <FetchFields form={form} />,
    isOnlyFor: 'jwks',
  },
  {
    value: 'tags',
    title: 'Tags',
    fields: ['tags'],
    content: (form) => (
      <TagsField description="For your own use: the controller ignores them" {...form.getInputProps('tags')} />
    ),
  },
]

function CollapsedSections({ form }: Fields) {
  const [opened, setOpened] = useState<string[]>([])
  const shown = SECTIONS.filter(({ isOnlyFor }) => !isOnlyFor || isOnlyFor === form.values.source)
  const invalid = Object.keys(form.errors).map((path) => path.split('.', 1)[0])
  const withErrors = shown.filter(({ fields }) => fields.some((field) => invalid.includes(field)))
  const open = new Set([...opened, ...withErrors.map(({ value }) => value)])
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

function IdentityClaimFields({ form }: Fields) {
  return (
    <>
      <TextInput
        label="Claims property"
        placeholder="/sub"
        description="The claim that names the identity: a name such as email, or a JSON pointer such as /realm/user"
        {...form.getInputProps('claimsProperty')}
      />
      <Switch
        label="Use external id"
        description="Compare the claim with the identity's external id instead of its id"
        {...form.getInputProps('useExternalId', { type: 'checkbox' })}
      />
    </>
  )
}

function TokenCheckFields({ form }: Fields) {
  return (
    <>
      <TagsInput
        label="Additional audiences"
        description="Also accepted in the aud claim; press Enter after each"
        acceptValueOnBlur
        {...form.getInputProps('additionalAudiences')}
      />
      <ClaimRowsField
        form={form}
        name="requiredClaims"
        rows={form.values.requiredClaims}
        legend="Required claims"
        description="Tokens without these are refused. Needed when an issuer serves many tenants, to accept only your tokens. In a pattern, * stands for any characters and ? for one."
        addLabel="Require a claim"
        rowName="required claim"
      />
      <Group grow align="start">
        <NumberInput
          label="Clock skew (seconds)"
          min={0}
          max={60}
          allowDecimal={false}
          {...form.getInputProps('clockSkewSeconds')}
        />
        <NumberInput
          label="Max token age (seconds)"
          placeholder="Unlimited"
          description="Longest accepted time from iat to exp"
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
      <TextInput label="OpenID configuration URL" {...form.getInputProps('openIdConfigurationUrl')} />
      <TextInput
        label="Client id"
        description="With both set, the login page shows a button for this provider"
        {...form.getInputProps('clientId')}
      />
      <TagsInput
        label="Scopes"
        description="Press Enter after each"
        splitChars={[' ', ',']}
        acceptValueOnBlur
        {...form.getInputProps('scopes')}
      />
      <TextInput
        label="External auth URL"
        description="Only for providers without an OpenID configuration"
        {...form.getInputProps('externalAuthUrl')}
      />
      <Select
        label="Target token"
        description="The token that clients present to the controller"
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
        label="Enroll to certificate"
        description="A valid token creates an identity with a certificate"
        {...form.getInputProps('enrollToCertEnabled', { type: 'checkbox' })}
      />
      <Switch
        label="Enroll to token"
        description="A valid token creates an identity that logs in with tokens"
        {...form.getInputProps('enrollToTokenEnabled', { type: 'checkbox' })}
      />
      <TextInput label="Name claims selector" placeholder="/sub" {...form.getInputProps('enrollNameClaimsSelector')} />
      <TextInput
        label="Attribute claims selector"
        placeholder="None"
        {...form.getInputProps('enrollAttributeClaimsSelector')}
      />
      <PolicySelect
        label="Authentication policy of enrolled identities"
        {...form.getInputProps('enrollAuthPolicyId')}
      />
      <Select
        label="Attributes"
        description="At each login they follow the attribute claim, and administrators cannot remove them"
        allowDeselect={false}
        data={[
          { value: 'enrollment', label: 'Set once, at the enrollment' },
          { value: 'login', label: 'Follow the token at each login' },
        ]}
        {...form.getInputProps('attributeSync')}
      />
      <Switch
        label="Synchronise the name"
        description="The name follows the name claim at each login"
        {...form.getInputProps('nameSync', { type: 'checkbox' })}
      />
      <Switch
        label="Provision on login"
        description="The login of an unknown subject enrolls it; needs enrollment to token"
        {...form.getInputProps('provisionOnLogin', { type: 'checkbox' })}
      />
      <NumberInput
        label="Provision again after (minutes)"
        description="How long the subject of a deleted identity is not provisioned again"
        min={0}
        max={525_600}
        allowDecimal={false}
        {...form.getInputProps('reprovisionAfterMinutes')}
      />
    </>
  )
}

const SIGNAL_ACTIONS = [
  { value: 'end-sessions', label: 'End sessions' },
  { value: 'disable', label: 'Disable' },
  { value: 'enable', label: 'Enable' },
  { value: 'log', label: 'Log' },
]

function SignalFields({ form }: Fields) {
  return (
    <>
      <Switch
        label="Receive security events"
        description="Shared Signals: the identity provider reports revoked sessions and disabled accounts"
        {...form.getInputProps('sharedSignals.isOn', { type: 'checkbox' })}
      />
      {form.values.sharedSignals.isOn && (
        <>
          <TextInput label="Audience of events" {...form.getInputProps('sharedSignals.audience')} />
          <TextInput
            label="Issuer of events"
            placeholder="The issuer of tokens"
            {...form.getInputProps('sharedSignals.issuer')}
          />
          <TextInput
            label="JWKS URI of events"
            placeholder="The keys of tokens"
            {...form.getInputProps('sharedSignals.jwksUri')}
          />
          {SIGNAL_EVENTS.map(({ name, usual }) => (
            <Select
              key={name}
              label={name}
              allowDeselect={false}
              data={[{ value: '', label: `Default: ${usual}` }, ...SIGNAL_ACTIONS]}
              {...form.getInputProps(`sharedSignals.actions.${name}`)}
            />
          ))}
        </>
      )}
    </>
  )
}

function ScimFields({ form }: Fields) {
  return (
    <>
      <Select
        label="External id of a user"
        description="Which attribute of a user is the external id of its identity, by which tokens name it"
        allowDeselect={false}
        data={[
          { value: 'userName', label: 'User name' },
          { value: 'externalId', label: 'External id' },
          { value: 'email', label: 'Primary e-mail address' },
        ]}
        {...form.getInputProps('scimIdentityAttribute')}
      />
      <TextInput
        label="Attribute of a group"
        description="What members of a group get: {displayName}, {externalId} or {id} of the group, and other text"
        placeholder="{displayName}"
        {...form.getInputProps('scimGroupAttributeTemplate')}
      />
    </>
  )
}

function FetchFields({ form }: Fields) {
  return (
    <PemField
      label="CA certificates"
      description="Trusted for the JWKS endpoint in addition to the system's CAs, for providers with a private CA"
      {...form.getInputProps('jwksCaPem')}
    />
  )
}
