import type { Signer, SignerInput } from '@countersign/sdk'
import { NativeSelect, Switch, TextInput } from '@mantine/core'
import type { ComponentType } from 'react'
import { useMay } from '../../api/use-may.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { proposedChange } from '../../form/proposed-change.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { CertificateFields } from './certificate-fields.tsx'
import { DiscoverIssuer } from './discover-issuer.tsx'
import { KEY_SOURCES, type KeySourceName } from './key-source.ts'
import { PresetPanel } from './preset-panel.tsx'
import { CollapsedSections } from './sections/collapsed-sections.tsx'
import { CertificatesField, KeySetField, PushedKeysField } from './sections/key-set-fields.tsx'
import { type SignerFormProps as FormProps, signerField } from './sections/signer-field.tsx'
import { SIGNER_RULES, toBody, toValues } from './signer-values.ts'

interface SignerFormProps {
  readonly signer?: Signer
  readonly onSend: (body: SignerInput, changed: Partial<SignerInput>) => Promise<void>
  readonly submitLabel: string
}

/** Creates or edits a signer. Optional settings are in collapsed sections; a new one can be filled in by a preset. */
export function SignerForm({ signer, onSend, submitLabel }: SignerFormProps) {
  const { form, formError, isBusy, submit, read } = useServerForm({
    initialValues: toValues(signer),
    validate: SIGNER_RULES,
    toBody,
    send: onSend,
    fieldOf: { fingerprint: 'certPem' },
  })
  const field = signerField(form)
  const may = useMay()
  const isFetched = form.values.source === 'jwks'
  return (
    <FormFrame
      onSubmit={submit}
      error={formError}
      isBusy={isBusy}
      submitLabel={submitLabel}
      readChange={() => proposedChange('ext-jwt-signer', signer?.id, read())}
    >
      {!signer && <PresetPanel form={form} />}
      <NativeSelect
        label="Key source"
        data={KEY_SOURCES.map(({ value, label }) => ({ value, label }))}
        {...form.getInputProps('source')}
      />
      {isFetched && may('POST /ext-jwt-signers/discover') ? (
        <DiscoverIssuer form={form} />
      ) : (
        <TextInput {...field('issuer', 'Issuer')} required description="Must equal the iss claim exactly" />
      )}
      <TextInput {...field('name', 'Name')} required />
      <TextInput {...field('audience', 'Audience')} required description="Must be in the token's aud claim" />
      {isFetched ? (
        <TextInput
          {...field('jwksEndpoint', 'JWKS endpoint')}
          required
          description="Where the provider publishes its keys"
        />
      ) : (
        <KeyFields form={form} />
      )}
      <Switch {...field('enabled', 'Enabled', { type: 'checkbox' })} />
      <CollapsedSections form={form} hasAuthorization={signer?.jwksAuthorizationSet === true} />
    </FormFrame>
  )
}

/** The inputs of the sources that are not fetched. */
const KEY_FIELDS: Readonly<Record<Exclude<KeySourceName, 'jwks'>, ComponentType<FormProps>>> = {
  certificate: CertificateFields,
  certificates: CertificatesField,
  keys: KeySetField,
  pushed: PushedKeysField,
}

function KeyFields({ form }: FormProps) {
  const { source } = form.values
  const Fields = source === 'jwks' ? undefined : KEY_FIELDS[source]
  return Fields && <Fields form={form} />
}
