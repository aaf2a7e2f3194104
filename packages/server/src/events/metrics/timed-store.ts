import type { Store } from '../../store/store.ts'
import type { Metrics } from './metrics.ts'

/** Wraps a store so that the time of every write is measured. */
export function timedStore(store: Store, metrics: Pick<Metrics, 'written'>): Store {
  return {
    ...store,
    run: (operation, args, meta) => {
      const started = performance.now()
      const written = store.run(operation, args, meta)
      const measure = (): void => metrics.written(performance.now() - started)
      written.then(measure, measure)
      return written
    },
  }
}
