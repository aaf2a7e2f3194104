import { hashKey, type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'

/**
 * A query for a form. Ignores cached data, which may be stale. Once loaded, the data does not change under the form; saving over
 * a change made by others fails on the version.
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
