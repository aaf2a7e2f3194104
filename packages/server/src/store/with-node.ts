import type { Store } from './store.ts'

/** Wraps a store so that operations are recorded as those of a node. */
export function withNode(store: Store, node: string): Store {
  return { ...store, run: (operation, args, meta) => store.run(operation, args, { node, ...meta }) }
}
