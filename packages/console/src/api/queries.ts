import { QueryClient } from '@tanstack/react-query'
import { CallFailed, isUnreachable } from './call-failed.ts'

const MAX_RETRIES = 3

export const SESSION_KEY = ['session'] as const
export const IDENTITY_KEY = ['current-identity'] as const

/** The query cache. Retries calls without a response, and 429 and 503; other refusals are final. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < MAX_RETRIES && isRetryable(error),
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 5_000),
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

function isRetryable(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof CallFailed && (error.status === 503 || error.status === 429))
}
