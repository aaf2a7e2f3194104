import { LRUCache } from 'lru-cache'

export type LruCache<Key extends string, Value extends {}> = LRUCache<Key, Value>

/**
 * An LRU cache of at most `maxEntries`. Every entry has the size 1 unless `weightOf` gives another: with the option `max`, the library allocates its arrays
 * at once, which took 5 MiB of a controller that had just started. `onRemoved` is called for every entry that leaves the cache.
 */
export function createLruCache<Key extends string, Value extends {}>(
  maxEntries: number,
  onRemoved?: (value: Value, key: Key) => void,
  weightOf: (value: Value) => number = () => 1,
): LruCache<Key, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: weightOf, ...(onRemoved && { dispose: onRemoved }) })
}
