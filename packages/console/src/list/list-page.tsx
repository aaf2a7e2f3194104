import type { Page as LoadedPage } from '@countersign/sdk'
import { Group, Pagination, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ErrorNote } from '../show/error-note.tsx'
import { PageHead } from '../show/page-head.tsx'
import { type ListSearch, readListSearch } from './list-search.ts'
import { type Column, ListTable } from './list-table.tsx'

export interface ListRequest {
  readonly limit: number
  readonly offset: number
  readonly sort: string
  readonly text: string
}

interface ListPageProps<Item> {
  readonly title: string
  readonly description: ReactNode
  /** Must include the filters. */
  readonly queryKey: readonly unknown[]
  readonly load: (request: ListRequest) => Promise<LoadedPage<Item>>
  readonly columns: readonly Column<Item>[]
  readonly defaultSort: string
  /** Omit to have no search field. */
  readonly searchLabel?: string
  readonly emptyText: string
  readonly actions?: ReactNode
  /** Shown beside the search field. */
  readonly filters?: ReactNode
  readonly refetchMs?: number
}

const PAGE_SIZE = 20
const DEBOUNCE_MS = 300

/** A list that the server searches, sorts and pages. */
export function ListPage<Item extends { readonly id: string }>(props: ListPageProps<Item>) {
  const { title, description, queryKey, load, columns, defaultSort, searchLabel, emptyText, actions, filters } = props
  const { q = '', sort = defaultSort, page = 1 } = readListSearch(useSearch({ strict: false }))
  const go = useListNavigation()
  const request = { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE, sort, text: q }
  const { data, error, isPending, isFetching, refetch } = useQuery({
    queryKey: [...queryKey, 'list', request],
    queryFn: () => load(request),
    placeholderData: keepPreviousData,
    refetchInterval: props.refetchMs ?? false,
  })
  const pages = Math.max(1, Math.ceil((data?.total ?? 0) / PAGE_SIZE))
  const isPastLast = data !== undefined && page > pages
  useEffect(() => {
    if (isPastLast) go({ q, sort, page: pages })
  })
  return (
    <Stack gap="sm">
      <PageHead title={title} description={description}>
        {actions}
      </PageHead>
      {(searchLabel || filters) && (
        <Group align="end">
          {searchLabel && <SearchField label={searchLabel} text={q} onChange={(text) => go({ q: text, sort })} />}
          {filters}
        </Group>
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
            onSort={(next) => go({ q, sort: next })}
            emptyText={q === '' ? emptyText : `Nothing matches “${q}”.`}
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
            onChange={(next) => go({ q, sort, page: next })}
            size="sm"
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
            getItemProps={(number) => ({ 'aria-label': `page ${number}` })}
          />
        )}
      </Group>
    </Stack>
  )
}

function countText(total: number, offset: number, shown: number): string {
  return total <= shown ? `${total} in total` : `${offset + 1} to ${offset + shown} of ${total}`
}

function useListNavigation(): (search: ListSearch) => void {
  const navigate = useNavigate()
  return ({ q, sort, page }) => {
    const search = { ...(q && { q }), ...(sort && { sort }), ...(page && page > 1 && { page }) }
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
