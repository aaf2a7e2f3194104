import { Autocomplete, Button, NativeSelect, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ChoiceFilter, ListFilter, TextFilter } from './list-filter.ts'

interface FilterFieldsProps {
  readonly filters: readonly ListFilter[]
  readonly values: Readonly<Record<string, unknown>>
  /** `undefined` clears the filter. */
  readonly onChange: (name: string, value: string | undefined) => void
  readonly onClear: () => void
}

/** The inputs of a list's filters. */
export function FilterFields({ filters, values, onChange, onClear }: FilterFieldsProps) {
  const filterValue = (name: string): string => (typeof values[name] === 'string' ? values[name] : '')
  const isAnySet = filters.some(({ name }) => filterValue(name) !== '')
  return (
    <>
      {filters.map((filter) => {
        const { name } = filter
        const props = { value: filterValue(name), onChange: (value: string) => onChange(name, value || undefined) }
        if (filter.kind === 'choice') return <ChoiceField key={name} filter={filter} {...props} />
        return <TextField key={name} filter={filter} {...props} />
      })}
      {isAnySet && (
        <Button variant="subtle" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </>
  )
}

interface FieldProps<Filter> {
  readonly filter: Filter
  readonly value: string
  readonly onChange: (value: string) => void
}

/** From this number on, choices are searched by typing. */
const MANY_CHOICES = 15

function ChoiceField({ filter: { label, choices, all = 'All' }, value, onChange }: FieldProps<ChoiceFilter>) {
  // A link can name what the choices do not have yet, or no longer.
  const isListed = value === '' || choices.some((choice) => choice.value === value)
  const data = [...choices, ...(isListed ? [] : [{ value, label: value }])]
  if (data.length < MANY_CHOICES) {
    return (
      <NativeSelect
        label={label}
        data={[{ value: '', label: all }, ...data]}
        value={value}
        // A chosen filter has room for its label; the tooltip has all of a long one.
        flex={value === '' ? '1 1 8rem' : '1 1 14rem'}
        maw={value === '' ? 180 : 300}
        title={data.find((choice) => choice.value === value)?.label ?? all}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )
  }
  return (
    <Select
      label={label}
      data={data}
      value={value || null}
      placeholder={all}
      clearable
      searchable
      flex="1 1 8rem"
      maw={180}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      onChange={(next) => onChange(next ?? '')}
    />
  )
}

const DEBOUNCE_MS = 300
const NO_SUGGESTIONS: readonly string[] = []

function TextField({ filter: { name, label, suggest }, value, onChange }: FieldProps<TextFilter>) {
  const [typed, setTyped] = useState(value)
  const [settled] = useDebouncedValue(typed, DEBOUNCE_MS)
  useEffect(() => setTyped(value), [value])
  const { data = NO_SUGGESTIONS } = useQuery({
    queryKey: ['suggestions', name, settled],
    queryFn: () => suggest?.(settled) ?? NO_SUGGESTIONS,
    enabled: suggest !== undefined && settled !== '',
    placeholderData: keepPreviousData,
    retry: false,
  })
  return (
    <Autocomplete
      label={label}
      data={[...data]}
      value={typed}
      maxLength={200}
      flex="1 1 8rem"
      maw={180}
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      onChange={(next) => {
        setTyped(next)
        if (next === '') onChange('')
      }}
      onOptionSubmit={onChange}
      onBlur={() => typed !== value && onChange(typed)}
      onKeyDown={({ key }) => key === 'Enter' && onChange(typed)}
    />
  )
}
