import { QueryClient } from '@tanstack/react-query'
import { CallFailed, isUnanswered } from './call-failed.ts'

const MAX_RETRIES = 3

export const SESSION_KEY = ['session'] as const

/** What the pages know of the server. A call without an answer is made again; a refusal is a refusal. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < MAX_RETRIES && isWorthAnother(error),
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 5_000),
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

function isWorthAnother(error: unknown): boolean {
  return isUnanswered(error) || (error instanceof CallFailed && (error.status === 503 || error.status === 429))
}
