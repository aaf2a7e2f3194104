import { createLruCache, type LruCache } from '@countersign/core'
import { type Change, type ChangedEntity, REPORTS } from './change.ts'
import { KeyIndex } from './key-index.ts'

/** For each kind of entity, the ids of those that a value depends on. `ANY` stands for all of a kind. */
export type DependenciesOf<Value> = Readonly<Partial<Record<ChangedEntity, (value: Value) => readonly string[]>>>

/** For values that do not hold the id. */
export const ANY = '*'

interface Entry<Value> {
  readonly value: Value
  readonly names: readonly string[]
}

/** What a decision may depend on stays as it is, or did not exist. */
const KEEPS_DEPENDENTS: ReadonlySet<Change['action']> = new Set(['created', 'relabelled', ...REPORTS])

/** With more changes during a read, its value is not kept. */
const MAX_NOTED = 1_000

/**
 * An LRU cache whose entries are dropped when an entity that they depend on changes. They are found by that entity: a change costs the same
 * for any number of entries that do not depend on it.
 */
export class DependentCache<Value extends {}> {
  readonly #dependencies: readonly (readonly [ChangedEntity, (value: Value) => readonly string[]])[]
  readonly #entries: LruCache<string, Entry<Value>>
  /** The keys of the entries that depend on an entity, by its name. */
  readonly #index = new KeyIndex()
  /** What has changed while values are read. */
  #changedNames: string[] = []
  #reads = 0
  #generation = 0

  /** `weightOf` is how many entries a value counts as; 1 by default. */
  constructor(maxEntries: number, dependenciesOf: DependenciesOf<Value>, weightOf: (value: Value) => number = () => 1) {
    this.#dependencies = Object.entries(dependenciesOf) as [ChangedEntity, (value: Value) => readonly string[]][]
    this.#entries = createLruCache(maxEntries, {
      weightOf: ({ value }) => weightOf(value),
      onRemoved: ({ names }, key) => {
        for (const name of names) this.#index.remove(name, key)
      },
    })
  }

  get size(): number {
    return this.#entries.size
  }

  /** What the entries weigh together. */
  get weight(): number {
    return this.#entries.calculatedSize
  }

  /** The number of entities that entries depend on. */
  get dependencyCount(): number {
    return this.#index.size
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  /** Returns what `read` returns, and keeps the value in it, if any, unless that has changed while it was read: it may be outdated. */
  async load<Result>(
    key: string,
    read: () => Promise<Result>,
    valueIn: (result: Result) => Value | undefined,
  ): Promise<Result> {
    const generation = this.#generation
    const since = this.#changedNames.length
    this.#reads++
    try {
      const result = await read()
      const value = valueIn(result)
      if (value !== undefined && generation === this.#generation) this.#keep(key, value, since)
      return result
    } finally {
      this.#reads--
      if (this.#reads === 0) this.#changedNames = []
    }
  }

  /** Drops the entries that depend on the changed entities. */
  follow(changes: readonly Change[] | 'everything'): void {
    if (changes === 'everything') {
      this.#generation++
      this.#entries.clear()
      return
    }
    for (const { entity, id, action } of changes) {
      if (KEEPS_DEPENDENTS.has(action)) continue
      this.#drop(nameOf(entity, id))
      this.#drop(nameOf(entity, ANY))
    }
  }

  #keep(key: string, value: Value, since: number): void {
    const names = this.#namesFor(value)
    if (names.some((name) => this.#changedNames.includes(name, since))) return
    this.#entries.delete(key)
    for (const name of names) this.#index.add(name, key)
    this.#entries.set(key, { value, names })
  }

  #namesFor(value: Value): string[] {
    const names = this.#dependencies.flatMap(([entity, idsOf]) => idsOf(value).map((id) => nameOf(entity, id)))
    return [...new Set(names)]
  }

  #drop(name: string): void {
    if (this.#reads > 0) this.#noteChange(name)
    for (const key of this.#index.find(name)) this.#entries.delete(key)
  }

  #noteChange(name: string): void {
    if (this.#changedNames.length < MAX_NOTED) {
      this.#changedNames.push(name)
      return
    }
    this.#generation++
    this.#changedNames = []
  }
}

function nameOf(entity: ChangedEntity, id: string): string {
  return `${entity} ${id}`
}
