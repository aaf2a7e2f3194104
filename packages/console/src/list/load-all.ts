import type { Page } from '@countersign/sdk'

interface Part {
  readonly limit: number
  readonly offset: number
}

interface AllItems<Item> {
  readonly items: readonly Item[]
  /** Whether items were added or removed while they were read, so that some can be missing. */
  readonly hasChanged: boolean
}

const PART = 500
/** The API skips at most this many. */
export const MAX_LOADED = 100_000

/** Loads all items of a list, a few hundred at a time, each once. Throws RangeError for a list that is too long. */
export async function loadAll<Item extends { readonly id: string }>(
  load: (part: Part) => Promise<Page<Item>>,
  onProgress: (loaded: number, total: number) => void,
  isCancelled: () => boolean,
): Promise<AllItems<Item>> {
  const byId = new Map<string, Item>()
  let first: number | undefined
  for (let offset = 0; ; offset += PART) {
    const { items, total } = await load({ limit: PART, offset })
    first ??= total
    if (total > MAX_LOADED) throw new RangeError(`the list has ${total} rows, and at most ${MAX_LOADED} are exported`)
    for (const item of items) byId.set(item.id, item)
    onProgress(byId.size, total)
    if (items.length < PART || isCancelled()) {
      return { items: [...byId.values()], hasChanged: total !== first || byId.size !== total }
    }
  }
}
