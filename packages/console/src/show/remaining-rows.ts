import { isGroup, type Members, separateWords } from '@countersign/contract/resource'

type Row = readonly [label: string, value: string | null, member: string]

/** Rows for the members that are not in `shown`, labelled by the words of their names. */
export function remainingRows(members: Members, entity: object, shown: readonly string[]): Row[] {
  return Object.entries(members).flatMap(([name, member]): Row[] => {
    if (isGroup(member) || shown.includes(name)) return []
    return [[labelOf(name), describe((entity as Readonly<Record<string, unknown>>)[name]), name]]
  })
}

/** `additionalAudiences` is “Additional audiences”. */
function labelOf(name: string): string {
  const words = separateWords(name, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function describe(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.map(describeItem).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** An object is called by its name. */
function describeItem(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item)
  return 'name' in item ? String(item.name) : JSON.stringify(item)
}
