import { attributeName, foldAscii, scimError } from '@countersign/core'
import type { Query } from '../pipeline/query.ts'

/** Which attributes a response has, by the parameters `attributes` and `excludedAttributes`. Names are in lower case. */
export interface ScimSelection {
  readonly attributes: ReadonlySet<string> | undefined
  readonly excluded: ReadonlySet<string>
}

const MAX_NAMES = 64
/** Always returned. */
const ALWAYS = new Set(['id', 'schemas'])

export function readSelection(query: Query): ScimSelection {
  const attributes = namesIn(query.get('attributes'))
  const excluded = namesIn(query.get('excludedAttributes'))
  if (attributes.size > 0 && excluded.size > 0) {
    throw scimError('invalidValue', 'attributes and excludedAttributes exclude each other')
  }
  return { attributes: attributes.size > 0 ? attributes : undefined, excluded }
}

function namesIn(text: string | undefined): ReadonlySet<string> {
  const names = (text ?? '').split(',').map((name) => attributeName(name.trim()))
  const given = names.filter((name) => name !== '')
  if (given.length > MAX_NAMES) throw scimError('tooMany', 'too many attributes are named')
  return new Set(given)
}

export function isSelected({ attributes, excluded }: ScimSelection, name: string): boolean {
  const folded = foldAscii(name)
  if (ALWAYS.has(folded)) return true
  if (!attributes) return !excluded.has(folded)
  // `name.familyName` selects the whole name.
  return [...attributes].some((selected) => selected === folded || selected.startsWith(`${folded}.`))
}

/** The resource with the attributes that the caller wants. */
export function selectAttributes(
  resource: Readonly<Record<string, unknown>>,
  selection: ScimSelection,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isSelected(selection, name)))
}
