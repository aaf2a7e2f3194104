import { Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNote, headingOf } from './error-note.tsx'
import { PageHead } from './page-head.tsx'

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error'> & { readonly refetch: () => Promise<unknown> }
  /** For a whole page: the link to the parent page, shown with an error. */
  readonly back?: ReactNode
  readonly children: (data: Data) => ReactNode
}

/** Shows the data of a query, a placeholder while loading, or the error with a retry button. */
export function Loaded<Data>({ query, back, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) {
    const note = <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
    if (!back) return note
    return (
      <Stack>
        <PageHead title={headingOf(query.error)} back={back} />
        {note}
      </Stack>
    )
  }
  return (
    <Stack aria-busy="true" aria-label="Loading">
      <Skeleton height={28} width="40%" />
      <Skeleton height={120} />
    </Stack>
  )
}
