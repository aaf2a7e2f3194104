import { Checkbox, Group, Select } from '@mantine/core'
import type { Selection } from './use-selection.ts'

interface PhoneControlsProps<Item> {
  readonly items: readonly Item[]
  readonly columns: readonly { readonly label: string; readonly sort?: string }[]
  readonly sort: string
  readonly onSort: (sort: string) => void
  readonly selection: Selection<Item> | undefined
}

/** On phones, where rows are cards without a head: what its cells do. */
export function PhoneControls<Item>({ items, columns, sort, onSort, selection }: PhoneControlsProps<Item>) {
  const options = columns.flatMap(({ label, sort: field }) =>
    field === undefined
      ? []
      : [
          { value: `${field} asc`, label: `${label} ↑` },
          { value: `${field} desc`, label: `${label} ↓` },
        ],
  )
  const count = selection ? items.filter((item) => selection.has(item)).length : 0
  return (
    <Group hiddenFrom="sm" justify="space-between" align="end" p="sm" pb={0} wrap="nowrap">
      {options.length > 0 && (
        <Select
          label="Sort by"
          size="xs"
          allowDeselect={false}
          data={options}
          value={sort.includes(' ') ? sort : `${sort} asc`}
          onChange={(value) => value && onSort(value)}
        />
      )}
      {selection && (
        <Checkbox
          size="xs"
          label="Select all"
          checked={count > 0 && count === items.length}
          indeterminate={count > 0 && count < items.length}
          onChange={({ currentTarget }) => selection.set(items, currentTarget.checked)}
        />
      )}
    </Group>
  )
}
