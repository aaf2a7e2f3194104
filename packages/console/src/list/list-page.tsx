import type { Page as LoadedPage } from '@countersign/sdk'
import { Group, Pagination, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { queries } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { ErrorNote } from '../show/error-note.tsx'
import { PageHead } from '../show/page-head.tsx'
import type { BulkAction } from './bulk-action.ts'
import { BulkBar } from './bulk-bar.tsx'
import type { CsvExport } from './csv.ts'
import { ExportButton } from './export-button.tsx'
import { FilterFields } from './filter-fields.tsx'
import { buildListFilter, type ListFilter } from './list-filter.ts'
import { type ListSearch, readListSearch } from './list-search.ts'
import { type Column, ListTable } from './list-table.tsx'
import { MAX_SELECTED, useSelection } from './use-selection.ts'

export interface ListRequest {
  readonly limit: number
  readonly offset: number
  readonly sort: string
  readonly text: string
  /** What the search text and the filters match, in the filter language of the edge API. */
  readonly filter?: string | undefined
}

interface ListPageProps<Item> {
  readonly title: string
  readonly description: ReactNode
  readonly queryKey: readonly unknown[]
  readonly load: (request: ListRequest) => Promise<LoadedPage<Item>>
  readonly columns: readonly Column<Item>[]
  readonly defaultSort: string
  /** Omit to have no search field. */
  readonly searchLabel?: string
  /** The fields that the text is searched in, for `filter`. */
  readonly searchFields?: readonly string[]
  readonly filters?: readonly ListFilter[]
  readonly emptyText: string
  readonly actions?: ReactNode
  /** Shown beside the search field. */
  readonly controls?: ReactNode
  /** Actions on selected rows. */
  readonly bulkActions?: readonly BulkAction<Item>[]
  /** How the whole result is exported. */
  readonly csv?: CsvExport<Item>
  readonly refetchMs?: number
}

const PAGE_SIZE = 20
const DEBOUNCE_MS = 300
const NO_FIELDS: readonly string[] = []
const NO_FILTERS: readonly ListFilter[] = []

/** A list that the server searches, filters, sorts and pages. */
export function ListPage<Item extends { readonly id: string }>(props: ListPageProps<Item>) {
  const { title, description, queryKey, load, columns, defaultSort, searchLabel, emptyText, actions, controls } = props
  const { searchFields = NO_FIELDS, filters = NO_FILTERS, csv } = props
  const may = useMay()
  const bulkActions = (props.bulkActions ?? []).filter(({ need }) => may(need))
  const search = readListSearch(useSearch({ strict: false }))
  const { q = '', sort = defaultSort, page = 1, ...values } = search
  const go = useListNavigation()
  const filter = buildListFilter({ searchFields, text: q, filters, values, now: Date.now() })
  const request = { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE, sort, text: q, filter }
  const { data, error, isPending, isFetching, refetch } = useQuery({
    queryKey: [...queryKey, 'list', request],
    queryFn: () => load(request),
    placeholderData: keepPreviousData,
    refetchInterval: props.refetchMs ?? false,
  })
  const selection = useSelection<Item>(JSON.stringify([q, values]))
  const pages = Math.max(1, Math.ceil((data?.total ?? 0) / PAGE_SIZE))
  const isPastLast = data !== undefined && page > pages
  useEffect(() => {
    if (isPastLast) go({ ...search, page: pages })
  })
  const isFiltered = q !== '' || Object.keys(values).length > 0
  return (
    <Stack gap="sm">
      <PageHead title={title} description={description}>
        {csv && <ExportButton csv={csv} load={(part) => load({ ...request, ...part })} />}
        {actions}
      </PageHead>
      {(searchLabel || controls || filters.length > 0) && (
        <Group align="end" gap="sm">
          {searchLabel && (
            <SearchField label={searchLabel} text={q} onChange={(text) => go({ ...search, q: text, page: 1 })} />
          )}
          <FilterFields
            filters={filters}
            values={values}
            onChange={(name, value) => go({ ...search, [name]: value, page: 1 })}
            onClear={() => go({ q, sort })}
          />
          {controls}
        </Group>
      )}
      {bulkActions.length > 0 && selection.items.length > 0 && (
        <BulkBar
          selection={selection}
          actions={bulkActions}
          total={data?.total ?? 0}
          loadAll={async () => (await load({ ...request, limit: MAX_SELECTED, offset: 0 })).items}
          onDone={() => queries.invalidateQueries({ queryKey })}
        />
      )}
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!(error && !data) && (
        <Paper withBorder aria-busy={isFetching}>
          <ListTable
            label={title}
            items={data?.items}
            isPending={isPending}
            columns={columns}
            sort={sort}
            onSort={(next) => go({ ...search, sort: next, page: 1 })}
            emptyText={isFiltered ? nothingText(q) : emptyText}
            {...(bulkActions.length > 0 && { selection })}
          />
        </Paper>
      )}
      <Group justify="space-between">
        <Text size="sm" c="dimmed" aria-live="polite">
          {data ? countText(data.total, request.offset, data.items.length) : ''}
        </Text>
        {pages > 1 && (
          <Pagination
            total={pages}
            value={page}
            onChange={(next) => go({ ...search, page: next })}
            size="sm"
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
            getItemProps={(number) => ({ 'aria-label': `page ${number}` })}
          />
        )}
      </Group>
    </Stack>
  )
}

function nothingText(text: string): string {
  return text === '' ? 'Nothing matches the filters.' : `Nothing matches “${text}”.`
}

function countText(total: number, offset: number, shown: number): string {
  return total <= shown ? `${total} in total` : `${offset + 1} to ${offset + shown} of ${total}`
}

function useListNavigation(): (search: ListSearch) => void {
  const navigate = useNavigate()
  return ({ page, ...others }) => {
    const set = Object.entries(others).filter(([, value]) => value !== undefined && value !== '')
    const search = { ...Object.fromEntries(set), ...(page && page > 1 && { page }) }
    void navigate({ to: '.', search, replace: true })
  }
}

interface SearchFieldProps {
  readonly label: string
  readonly text: string
  readonly onChange: (text: string) => void
}

function SearchField({ label, text, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(text)
  const reported = useRef(text)
  const report = useDebouncedCallback((next: string) => {
    reported.current = next
    onChange(next)
  }, DEBOUNCE_MS)
  // The URL changed by a link or the back button, not by typing here.
  useEffect(() => {
    if (text === reported.current) return
    reported.current = text
    setTyped(text)
  }, [text])
  return (
    <TextInput
      type="search"
      label={label}
      value={typed}
      maxLength={200}
      flex="1 1 16rem"
      maw={420}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        report(currentTarget.value)
      }}
    />
  )
}
