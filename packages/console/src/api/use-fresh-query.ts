import { hashKey, type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'

/**
 * A query for a form. What was known before is not shown, since it may be old; and once the form is there, what others change does not
 * replace what somebody is about to change: its version tells the server that it was another.
 */
export function useFreshQuery<Data, Key extends QueryKey>(
  options: UseQueryOptions<Data, Error, Data, Key>,
): Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'> {
  const shown = useRef<{ readonly key: string; readonly data: Data }>(undefined)
  const { data, error, refetch, isFetchedAfterMount } = useQuery({ ...options, refetchOnMount: 'always' })
  const key = hashKey(options.queryKey)
  if (shown.current?.key !== key) {
    shown.current = isFetchedAfterMount && data !== undefined ? { key, data } : undefined
  }
  return { data: shown.current?.data, error, refetch }
}
