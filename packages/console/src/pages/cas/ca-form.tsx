import type { Ca, CaInput } from '@countersign/sdk'
import { Group, NumberInput, Select, Switch, TagsInput, TextInput } from '@mantine/core'
import { FormFrame } from '../../form/form-frame.tsx'
import { PemField } from '../../form/pem-field.tsx'
import { TagsField } from '../../form/tags-field.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { Section } from '../../show/details.tsx'
import { type CaValues, caRules, fromCa, SERVER_FIELDS, toCa } from './ca-values.ts'

interface CaFormProps {
  readonly ca?: Ca
  readonly onSend: (body: CaInput, changed: Partial<CaInput>) => Promise<void>
  readonly submitLabel: string
}

const LOCATIONS = [
  { value: 'COMMON_NAME', label: 'Common name' },
  { value: 'SAN_EMAIL', label: 'E-mail addresses (SAN)' },
  { value: 'SAN_URI', label: 'URIs (SAN)' },
]
const MATCHERS = [
  { value: 'ALL', label: 'Every value' },
  { value: 'PREFIX', label: 'With a prefix, which is cut off' },
  { value: 'SUFFIX', label: 'With a suffix, which is cut off' },
  { value: 'SCHEME', label: 'With a scheme (URIs)' },
]
const PARSERS = [
  { value: 'NONE', label: 'As they are' },
  { value: 'SPLIT', label: 'Split by a separator' },
]

/** Creates or edits a CA. Its certificate cannot be changed. */
export function CaForm({ ca, onSend, submitLabel }: CaFormProps) {
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: fromCa(ca),
    validate: caRules(ca === undefined),
    toBody: toCa,
    send: onSend,
    fieldOf: SERVER_FIELDS,
  })
  const switchProps = (name: keyof CaValues) => form.getInputProps(name, { type: 'checkbox' })
  const { usesClaim, matcher, parser } = form.values
  return (
    <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel={submitLabel}>
      <TextInput label="Name" required {...form.getInputProps('name')} />
      {!ca && (
        <PemField
          label="Certificate"
          description="In PEM, a root or an intermediate; of several, only the first counts"
          required
          {...form.getInputProps('certPem')}
        />
      )}
      <Section title="Login">
        <Switch label="Certificates of the CA log in" {...switchProps('isAuthEnabled')} />
      </Section>
      <Section title="Enrollment">
        <Switch label="Unknown certificates enroll as new identities" {...switchProps('isAutoCaEnrollmentEnabled')} />
        <Switch
          label="One-time tokens can require a certificate of the CA"
          {...switchProps('isOttCaEnrollmentEnabled')}
        />
        <TagsInput
          label="Attributes of new identities"
          description="Press Enter after each"
          {...form.getInputProps('identityRoles')}
        />
        <TextInput
          label="Names of new identities"
          description="With [caName], [caId], [commonName], [requestedName] and [identityId]"
          placeholder="[caName]-[commonName]"
          {...form.getInputProps('identityNameFormat')}
        />
      </Section>
      <Section title="External id">
        <Switch label="A part of the certificate names the identity by its external id" {...switchProps('usesClaim')} />
        {usesClaim && (
          <>
            <Select label="Part" allowDeselect={false} data={LOCATIONS} {...form.getInputProps('location')} />
            <Group grow align="start">
              <Select label="Values" allowDeselect={false} data={MATCHERS} {...form.getInputProps('matcher')} />
              <TextInput
                label="Prefix, suffix or scheme"
                disabled={matcher === 'ALL'}
                {...form.getInputProps('matcherCriteria')}
              />
            </Group>
            <Group grow align="start">
              <Select label="Parts of a value" allowDeselect={false} data={PARSERS} {...form.getInputProps('parser')} />
              <TextInput label="Separator" disabled={parser === 'NONE'} {...form.getInputProps('parserCriteria')} />
            </Group>
            <NumberInput
              label="Position in the list of all parts"
              description="0: the first"
              min={0}
              max={1_000}
              allowDecimal={false}
              {...form.getInputProps('index')}
            />
          </>
        )}
      </Section>
      <TagsField description="For your own use: the controller ignores them" {...form.getInputProps('tags')} />
    </FormFrame>
  )
}
