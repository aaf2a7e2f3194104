import { Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNote } from './error-note.tsx'

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  readonly children: (data: Data) => ReactNode
}

/** Shows what a query brought, that it is on its way, or why it failed, with another try. */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
  return (
    <Stack aria-busy="true" aria-label="Loading">
      <Skeleton height={28} width="40%" />
      <Skeleton height={120} />
    </Stack>
  )
}
