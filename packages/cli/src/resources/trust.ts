import { printableLine } from '../printable.ts'
import type { Item } from './resource-kind.ts'

interface Trust {
  readonly state: string
  readonly writtenBy: { readonly id: string; readonly name: string } | null
  readonly writtenAt: string
}

/** The trust of an item; undefined for resources without one. */
export function findTrust({ trust }: Item): Trust | undefined {
  return trust as Trust | undefined
}

/** Who wrote the security members of an item last, and when. */
export function describeWriter(item: Item): string {
  const { writtenBy, writtenAt } = findTrust(item) ?? {}
  return printableLine(`${writtenBy?.name ?? 'unknown'}, ${writtenAt}`)
}
