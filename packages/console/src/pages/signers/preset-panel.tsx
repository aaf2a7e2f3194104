import type { PresetQuestion } from '@countersign/contract/preset-question'
import {
  applySignerPreset,
  findSignerPreset,
  type PresetSigner,
  SIGNER_PRESETS,
  type SignerPreset,
} from '@countersign/contract/signer-presets'
import { Button, Fieldset, Group, Select, Stack, TextInput } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { FilledNote } from './filled-note.tsx'
import type { SignerFormProps } from './sections/signer-field.tsx'
import { type SignerValues, toEmptyValues, toPresetValues } from './signer-values.ts'
import { type PresetCheck, verifyPreset } from './verify-preset.ts'

const SUBJECTS = [
  { group: 'People', subjects: 'people' },
  { group: 'Jobs and pods', subjects: 'jobs' },
] as const

const OPTIONS = SUBJECTS.map(({ group, subjects }) => ({
  group,
  items: SIGNER_PRESETS.filter((preset) => preset.subjects === subjects).map(({ name, label }) => ({
    value: name,
    label,
  })),
}))

interface Filled {
  readonly preset: SignerPreset
  readonly signer: PresetSigner
  readonly values: Partial<SignerValues>
  readonly warnings: readonly string[]
  /** Whether the administrator named the key set, which discovery must not replace then. */
  readonly hasOwnKeys: boolean
  readonly check: PresetCheck
}

/** Asks what differs between installations of a known provider, and fills in the rest of the form. */
export function PresetPanel({ form }: SignerFormProps) {
  const [preset, setPreset] = useState<SignerPreset>()
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({})
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [filled, setFilled] = useState<Filled>()
  const choose = (name: string | null) => {
    setPreset(findSignerPreset(name ?? ''))
    setGiven({})
    setErrors({})
  }
  const fill = () => {
    if (!preset) return
    const result = applySignerPreset(preset.name, given)
    setErrors(result.ok ? {} : result.errors)
    if (!result.ok) return
    const { signer, warnings } = result
    const values = toPresetValues(signer)
    const isOwnName = form.values.name !== '' && form.values.name !== filled?.preset.label
    form.setValues({
      ...toEmptyValues(filled?.values ?? {}),
      ...values,
      source: 'jwks',
      ...(!isOwnName && { name: preset.label }),
    })
    form.clearErrors()
    const next = { preset, signer, values, warnings, hasOwnKeys: Boolean(given.jwksEndpoint) }
    setFilled({ ...next, check: { state: 'running' } })
    void verify(next)
  }
  /** The provider may have moved its keys: those of its discovery document replace those of the preset. */
  const verify = async (next: Omit<Filled, 'check'>) => {
    const check = await verifyPreset(next.signer)
    const isCurrent = form.getValues().jwksEndpoint === next.signer.jwksEndpoint
    if (check.state === 'verified' && isCurrent && !next.hasOwnKeys) form.setFieldValue('jwksEndpoint', check.published)
    setFilled((shown) => (shown?.signer === next.signer ? { ...next, check } : shown))
  }
  const fillOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    fill()
  }
  return (
    <Stack gap="sm">
      <Select
        label="Identity provider"
        description="Asks for what differs, and fills in the rest of the form"
        placeholder="Another one: fill in the form yourself"
        data={OPTIONS}
        value={preset?.name ?? null}
        onChange={choose}
        clearable
        searchable
        clearButtonProps={{ 'aria-label': 'Clear the identity provider' }}
      />
      {preset && (
        <Fieldset legend={preset.label}>
          <Stack gap="sm">
            {preset.questions.map((question) => (
              <Question
                key={`${preset.name} ${question.name}`}
                question={question}
                value={given[question.name] ?? ''}
                error={errors[question.name]}
                onChange={(value) => setGiven({ ...given, [question.name]: value })}
                onKeyDown={fillOnEnter}
              />
            ))}
            <Group>
              <Button variant="light" onClick={fill}>
                Fill in the form
              </Button>
            </Group>
          </Stack>
        </Fieldset>
      )}
      <div aria-live="polite">
        {preset && filled?.preset === preset && <FilledNote label={preset.label} {...filled} />}
      </div>
    </Stack>
  )
}

interface QuestionProps {
  readonly question: PresetQuestion
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

function Question({ question, value, error, onChange, onKeyDown }: QuestionProps) {
  const { label, help, example, choices } = question
  const shared = { label, description: help, error: error && `${label} ${error}` }
  if (choices) {
    return (
      <Select
        {...shared}
        allowDeselect={false}
        data={[...choices]}
        value={value || (question.default ?? null)}
        onChange={(next) => onChange(next ?? '')}
      />
    )
  }
  return (
    <TextInput
      {...shared}
      required={question.default === undefined}
      placeholder={question.default || example}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onKeyDown={onKeyDown}
      data-question={question.name}
      spellCheck={false}
      autoComplete="off"
    />
  )
}
