import { useEffect, useState } from 'react'

/** Each selected row is one call, or several. */
export const MAX_SELECTED = 500

/** The rows that are selected for an action, also on other pages of the list. */
export interface Selection<Item> {
  readonly items: readonly Item[]
  has(item: Item): boolean
  /** Selects the items, or removes them from the selection. */
  set(items: readonly Item[], isSelected: boolean): void
  clear(): void
}

/** `scope` is what the list shows: another search or filter empties the selection, since its rows could not be seen. */
export function useSelection<Item extends { readonly id: string }>(scope: string): Selection<Item> {
  const [selected, setSelected] = useState<ReadonlyMap<string, Item>>(new Map())
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new scope empties the selection
  useEffect(() => setSelected(new Map()), [scope])
  return {
    items: [...selected.values()],
    has: ({ id }) => selected.has(id),
    set: (items, isSelected) =>
      setSelected((before) => {
        const next = new Map(before)
        for (const item of items) isSelected ? next.set(item.id, item) : next.delete(item.id)
        return new Map([...next].slice(0, MAX_SELECTED))
      }),
    clear: () => setSelected(new Map()),
  }
}
