import type { Signer, SignerInput } from '@countersign/sdk'
import { SegmentedControl, Switch, TextInput } from '@mantine/core'
import { useMay } from '../../api/use-may.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { CertificateFields } from './certificate-fields.tsx'
import { DiscoverIssuer } from './discover-issuer.tsx'
import { PresetPanel } from './preset-panel.tsx'
import { CollapsedSections } from './sections/collapsed-sections.tsx'
import { signerField } from './sections/signer-field.tsx'
import { SIGNER_RULES, toBody, toValues } from './signer-values.ts'

interface SignerFormProps {
  readonly signer?: Signer
  readonly onSend: (body: SignerInput, changed: Partial<SignerInput>) => Promise<void>
  readonly submitLabel: string
}

/** Creates or edits a signer. Optional settings are in collapsed sections; a new one can be filled in by a preset. */
export function SignerForm({ signer, onSend, submitLabel }: SignerFormProps) {
  const { form, formError, isBusy, submit } = useServerForm({
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
    <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel={submitLabel}>
      {!signer && <PresetPanel form={form} />}
      <SegmentedControl
        aria-label="Key source"
        data={[
          { value: 'jwks', label: 'Keys from the issuer (JWKS)' },
          { value: 'certificate', label: 'Certificate' },
        ]}
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
        <CertificateFields form={form} />
      )}
      <Switch {...field('enabled', 'Enabled', { type: 'checkbox' })} />
      <CollapsedSections form={form} />
    </FormFrame>
  )
}
