import { Button, CloseButton, Fieldset, Group, Input, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { TagRow } from './tags.ts'

interface TagsFieldProps {
  readonly label?: string
  /** The label with more than its text, such as a tooltip. */
  readonly legend?: ReactNode
  readonly description?: string
  readonly value?: readonly TagRow[]
  readonly onChange: (rows: readonly TagRow[]) => void
  readonly error?: ReactNode
}

/**
 * Edits a map of names to values, such as `tags`: `initialValues: { tags: toTagRows(entity.tags) }`, `validate: { tags: checkTags }`,
 * `<TagsField {...form.getInputProps('tags')} />`; send `toTags(tags)`.
 */
export function TagsField({
  label = 'Tags',
  legend = label,
  description,
  value = [],
  onChange,
  error,
  ...rest
}: TagsFieldProps) {
  const set = (at: number, row: Partial<TagRow>) =>
    onChange(value.map((one, index) => (index === at ? { ...one, ...row } : one)))
  return (
    <Fieldset legend={legend} tabIndex={-1} aria-invalid={error ? true : undefined} {...rest}>
      <Stack gap="xs">
        {description && (
          <Text size="xs" c="dimmed">
            {description}
          </Text>
        )}
        {value.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other stable key while they are edited
          <Group key={at} gap="xs" wrap="nowrap">
            <TextInput
              flex={1}
              miw={0}
              placeholder="Name"
              aria-label={`${label}, name ${at + 1}`}
              autoFocus={row.name === '' && row.original === undefined}
              value={row.name}
              onChange={({ currentTarget }) => set(at, { name: currentTarget.value })}
            />
            <TextInput
              flex={1}
              miw={0}
              placeholder="Value"
              aria-label={`${label}, value ${at + 1}`}
              value={row.value}
              onChange={({ currentTarget }) => set(at, { value: currentTarget.value })}
            />
            <CloseButton
              aria-label={`${label}: remove ${row.name || `number ${at + 1}`}`}
              onClick={() => onChange(value.toSpliced(at, 1))}
            />
          </Group>
        ))}
        {error && <Input.Error role="alert">{error}</Input.Error>}
        <Group>
          <Button size="xs" variant="default" onClick={() => onChange([...value, { name: '', value: '' }])}>
            {`Add to ${label.toLowerCase()}`}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
