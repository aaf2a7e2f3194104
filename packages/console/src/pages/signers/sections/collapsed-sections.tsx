import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { Accordion, Stack } from '@mantine/core'
import { type ComponentType, useState } from 'react'
import { TagsField } from '../../../form/tags-field.tsx'
import { FieldLabel } from '../../../show/field-label.tsx'
import type { SignerValues } from '../signer-values.ts'
import { BrowserFields } from './browser-fields.tsx'
import { EnrollFields } from './enroll-fields.tsx'
import { FetchFields } from './fetch-fields.tsx'
import { IdentityClaimFields } from './identity-claim-fields.tsx'
import { PinFields } from './key-set-fields.tsx'
import { ScimFields } from './scim-fields.tsx'
import { SignalFields } from './signal-fields.tsx'
import type { SignerFormProps } from './signer-field.tsx'
import { TokenCheckFields } from './token-check-fields.tsx'

interface SectionProps extends SignerFormProps {
  /** Whether the signer has a credential for its endpoint. */
  readonly hasAuthorization: boolean
}

interface FormSection {
  readonly value: string
  readonly title: string
  /** A section opens when one of these has an error. */
  readonly fields: readonly (keyof SignerValues)[]
  readonly Content: ComponentType<SectionProps>
  readonly isOnlyFor?: SignerValues['source']
}

const SECTIONS: readonly FormSection[] = [
  { value: 'identity', title: 'Identity claim', fields: ['claimsProperty'], Content: IdentityClaimFields },
  {
    value: 'checks',
    title: 'Token checks',
    fields: [
      'additionalAudiences',
      'requiredClaims',
      'acceptRule',
      'clockSkewSeconds',
      'maxTokenAgeSeconds',
      'requirePossession',
      'oneUse',
      'testCases',
    ],
    Content: TokenCheckFields,
  },
  {
    value: 'browser',
    title: 'Browser login',
    fields: ['openIdConfigurationUrl', 'clientId', 'scopes', 'externalAuthUrl', 'targetToken'],
    Content: BrowserFields,
  },
  {
    value: 'enroll',
    title: 'Enrollment by token',
    fields: [
      'enrollToCertEnabled',
      'enrollToTokenEnabled',
      'enrollNameClaimsSelector',
      'enrollAttributeClaimsSelector',
      'attributeRules',
      'enrollAuthPolicyId',
      'attributeSync',
      'nameSync',
      'provisionOnLogin',
      'reprovisionAfterMinutes',
    ],
    Content: EnrollFields,
  },
  { value: 'signals', title: 'Security events', fields: ['sharedSignals'], Content: SignalFields },
  {
    value: 'scim',
    title: 'SCIM',
    fields: ['scimIdentityAttribute', 'scimGroupAttributeTemplate'],
    Content: ScimFields,
  },
  {
    value: 'fetching',
    title: 'Key fetching',
    fields: ['jwksCaPem', 'jwksAuthorization', 'requireKeyContinuity'],
    Content: FetchFields,
    isOnlyFor: 'jwks',
  },
  { value: 'pins', title: 'Pinned keys', fields: ['pinnedKeyThumbprints'], Content: PinFields },
  { value: 'tags', title: 'Tags', fields: ['tags'], Content: Tags },
]

/** The optional settings. */
export function CollapsedSections({ form, hasAuthorization }: SectionProps) {
  const [opened, setOpened] = useState<string[]>([])
  const shown = SECTIONS.filter(({ isOnlyFor }) => !isOnlyFor || isOnlyFor === form.values.source)
  const invalid = Object.keys(form.errors).map((path) => path.split('.', 1)[0])
  const withErrors = shown.filter(({ fields }) => fields.some((field) => invalid.includes(field)))
  const open = new Set([...opened, ...withErrors.map(({ value }) => value)])
  return (
    <Accordion variant="contained" multiple value={[...open]} onChange={setOpened}>
      {shown.map(({ value, title, Content }) => (
        <Accordion.Item key={value} value={value}>
          <Accordion.Control>{title}</Accordion.Control>
          <Accordion.Panel>
            <Stack gap="sm">
              <Content form={form} hasAuthorization={hasAuthorization} />
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  )
}

function Tags({ form }: SignerFormProps) {
  return (
    <TagsField
      legend={
        <FieldLabel members={SIGNER.members} name="tags">
          Tags
        </FieldLabel>
      }
      description="For your own use: the controller ignores them"
      {...form.getInputProps('tags')}
    />
  )
}
