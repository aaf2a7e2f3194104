import { EVENT_TYPES } from '@countersign/contract/event-sink'
import type { EventSink, EventSinkInput } from '@countersign/sdk'
import { MultiSelect, PasswordInput, Select, Switch, TextInput } from '@mantine/core'
import { FormFrame } from '../../form/form-frame.tsx'
import { TagsField } from '../../form/tags-field.tsx'
import { useServerForm } from '../../form/use-server-form.ts'
import { Section } from '../../show/details.tsx'
import { useSignerNames } from '../policies/use-signer-names.ts'
import { fromSink, SINK_KINDS, sinkRules, toSink } from './sink-values.ts'

interface SinkFormProps {
  readonly sink?: EventSink
  readonly onSend: (body: EventSinkInput, changed: Partial<EventSinkInput>) => Promise<void>
  readonly submitLabel: string
}

const FORMATS = [
  { value: 'json', label: 'JSON' },
  { value: 'cloudevents', label: 'CloudEvents 1.0' },
]
const OUTCOMES = [
  { value: 'accepted', label: 'Accepted' },
  { value: 'refused', label: 'Refused' },
]
const TYPES: string[] = EVENT_TYPES.filter((type) => type !== 'auditHead' && type !== 'eventSink')

/** Creates or edits an event sink. */
export function SinkForm({ sink, onSend, submitLabel }: SinkFormProps) {
  const { signers } = useSignerNames()
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: fromSink(sink),
    validate: sinkRules,
    toBody: toSink,
    send: onSend,
  })
  const isFile = form.values.kind === 'file'
  return (
    <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel={submitLabel}>
      <TextInput
        label="Name"
        description={isFile ? 'Also the name of the file: letters, digits, dots and dashes' : undefined}
        required
        {...form.getInputProps('name')}
      />
      <Select label="Kind" data={SINK_KINDS} allowDeselect={false} {...form.getInputProps('kind')} />
      {!isFile && <TextInput label="URL" type="url" required {...form.getInputProps('url')} />}
      <Select label="Format" data={FORMATS} allowDeselect={false} {...form.getInputProps('format')} />
      {!isFile && (
        <PasswordInput
          label="Secret"
          description={`“whsec_” and base64. ${sink?.secretSet ? 'One is stored; a new one is used beside it for a day.' : 'Signs every message.'}`}
          autoComplete="off"
          {...form.getInputProps('secret')}
        />
      )}
      <Switch label="Send events" {...form.getInputProps('enabled', { type: 'checkbox' })} />
      <Section title="Filter">
        <MultiSelect
          label="Types"
          description="Without any, all events are sent"
          data={TYPES}
          clearable
          {...form.getInputProps('types')}
        />
        <MultiSelect
          label="Signers"
          data={signers.map(({ id, name }) => ({ value: id, label: name }))}
          searchable
          clearable
          {...form.getInputProps('signers')}
        />
        <MultiSelect label="Outcomes" data={OUTCOMES} clearable {...form.getInputProps('outcomes')} />
      </Section>
      <TagsField description="For your own use: the controller ignores them" {...form.getInputProps('tags')} />
    </FormFrame>
  )
}
