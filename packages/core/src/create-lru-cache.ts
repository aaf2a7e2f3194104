import { LRUCache } from 'lru-cache'

export type LruCache<Key extends string, Value extends {}> = LRUCache<Key, Value>

interface LruCacheOptions<Key extends string, Value extends {}> {
  /** How much of the size an entry takes; 1 by default. One that takes more than all of it is not kept. */
  readonly weightOf?: (value: Value, key: Key) => number
  /** Called for every entry that leaves the cache. */
  readonly onRemoved?: (value: Value, key: Key) => void
}

/**
 * An LRU cache of at most `maxSize` entries, or what they weigh together. With its option `max`, the library allocates its arrays at once, which took 5 MiB
 * of a controller that had just started.
 */
export function createLruCache<Key extends string, Value extends {}>(
  maxSize: number,
  { weightOf = () => 1, onRemoved }: LruCacheOptions<Key, Value> = {},
): LruCache<Key, Value> {
  return new LRUCache({ maxSize, sizeCalculation: weightOf, ...(onRemoved && { dispose: onRemoved }) })
}
