import { LRUCache } from 'lru-cache'

export type LruCache<Key extends string, Value extends {}> = LRUCache<Key, Value>

/**
 * An LRU cache of at most `maxEntries`. Every entry has the size 1: with the option `max`, the library allocates its arrays at once, which took
 * 5 MiB of a controller that had just started. `onRemoved` is called for every entry that leaves the cache.
 */
export function createLruCache<Key extends string, Value extends {}>(
  maxEntries: number,
  onRemoved?: (value: Value, key: Key) => void,
): LruCache<Key, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1, ...(onRemoved && { dispose: onRemoved }) })
}
