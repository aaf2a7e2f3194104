import { Checkbox, type MantineBreakpoint, Skeleton, Table, Text, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { PhoneControls } from './phone-controls.tsx'
import type { Selection } from './use-selection.ts'

export interface Column<Item> {
  readonly label: string
  readonly cell: (item: Item) => ReactNode
  /** The field that the server sorts by. */
  readonly sort?: string
  /** Hidden on narrower screens, except in the cards of phones. */
  readonly from?: MantineBreakpoint
}

interface ListTableProps<Item> {
  readonly label: string
  readonly items: readonly Item[] | undefined
  readonly isPending: boolean
  readonly columns: readonly Column<Item>[]
  readonly sort: string
  readonly onSort: (sort: string) => void
  readonly emptyText: string
  /** Adds a checkbox to each row. */
  readonly selection?: Selection<Item>
}

const SKELETON_ROWS = ['1', '2', '3', '4']

/** The rows of a list, a text when there are none, or placeholders while loading. */
export function ListTable<Item extends { readonly id: string }>(props: ListTableProps<Item>) {
  const { label, items, isPending, columns, sort, onSort, emptyText, selection } = props
  const width = columns.length + (selection ? 1 : 0)
  return (
    <>
      <PhoneControls items={items ?? []} columns={columns} sort={sort} onSort={onSort} selection={selection} />
      <Table
        className="card-rows"
        verticalSpacing="sm"
        horizontalSpacing="md"
        highlightOnHover
        aria-label={label}
        layout="auto"
      >
        <Table.Thead>
          <Table.Tr>
            {selection && <SelectAllCell items={items ?? []} selection={selection} />}
            {columns.map((column) => (
              <HeadCell key={column.label} column={column} sort={sort} onSort={onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {isPending &&
            SKELETON_ROWS.map((row) => (
              <Table.Tr key={row}>
                <Table.Td colSpan={width}>
                  <Skeleton height={18} aria-label="Loading" />
                </Table.Td>
              </Table.Tr>
            ))}
          {items?.length === 0 && (
            <Table.Tr>
              <Table.Td colSpan={width}>
                <Text c="dimmed" ta="center" py="lg">
                  {emptyText}
                </Text>
              </Table.Td>
            </Table.Tr>
          )}
          {items?.map((item) => (
            <Table.Tr key={item.id}>
              {selection && <SelectCell item={item} selection={selection} />}
              {columns.map(({ label: name, cell, from }, index) => (
                <Table.Td
                  key={name}
                  className={index === 0 ? 'breakable first-cell' : 'breakable'}
                  data-from={from}
                  data-label={index === 0 ? undefined : name}
                >
                  {cell(item)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  )
}

interface HeadCellProps<Item> {
  readonly column: Column<Item>
  readonly sort: string
  readonly onSort: (sort: string) => void
}

function HeadCell<Item>({ column: { label, sort: field, from }, sort, onSort }: HeadCellProps<Item>) {
  const visible = { 'data-from': from }
  if (!field) return <Table.Th {...visible}>{label}</Table.Th>
  const [current, direction] = sort.split(' ', 2)
  const isSorted = current === field
  const isUp = isSorted && direction !== 'desc'
  return (
    <Table.Th {...visible} aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : 'none'}>
      <UnstyledButton
        className="sort-button"
        fz="sm"
        fw={700}
        onClick={() => onSort(`${field} ${isUp ? 'desc' : 'asc'}`)}
      >
        {label} <span aria-hidden>{isSorted ? (isUp ? '↑' : '↓') : '↕'}</span>
      </UnstyledButton>
    </Table.Th>
  )
}

interface SelectAllProps<Item> {
  readonly items: readonly Item[]
  readonly selection: Selection<Item>
}

function SelectAllCell<Item>({ items, selection }: SelectAllProps<Item>) {
  const count = items.filter((item) => selection.has(item)).length
  return (
    <Table.Th w={40}>
      <Checkbox
        size="xs"
        aria-label="Select all rows of this page"
        checked={count > 0 && count === items.length}
        indeterminate={count > 0 && count < items.length}
        onChange={({ currentTarget }) => selection.set(items, currentTarget.checked)}
      />
    </Table.Th>
  )
}

function SelectCell<Item>({ item, selection }: { readonly item: Item; readonly selection: Selection<Item> }) {
  return (
    <Table.Td w={40}>
      <Checkbox
        size="xs"
        aria-label={`Select ${nameOf(item)}`}
        checked={selection.has(item)}
        onChange={({ currentTarget }) => selection.set([item], currentTarget.checked)}
      />
    </Table.Td>
  )
}

function nameOf(item: unknown): string {
  const { name, id } = item as { readonly name?: string; readonly id: string }
  return name ?? id
}
