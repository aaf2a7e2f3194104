import { AppError } from '@countersign/core'
import type { KeptLogin } from './kept-login.ts'
import type { Store } from './store.ts'

/**
 * Wraps a store so that an operation that fails with WOULD_LOCK_OUT runs again with the last logins of administrators. They are sealed, so that the
 * writer cannot read them, and few operations need them.
 */
export function withAdministratorLogins(store: Store, load: () => Promise<readonly KeptLogin[]>): Store {
  return {
    ...store,
    run: async (operation, args, meta) => {
      try {
        return await store.run(operation, args, meta)
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'WOULD_LOCK_OUT') throw error
        return store.run(operation, args, { ...meta, administratorLogins: await load() })
      }
    },
  }
}
