import { attributeName, foldAscii, type ScimSearchRequest, scimError } from '@countersign/core'

/** Which attributes a response has, by `attributes` and `excludedAttributes`. Names are in lower case, those of parts after a dot. */
export interface ScimSelection {
  readonly attributes: ReadonlySet<string> | undefined
  readonly excluded: ReadonlySet<string>
}

const MAX_NAMES = 64
/** Always returned. */
const ALWAYS = new Set(['id', 'schemas'])

export function readSelection(request: Pick<ScimSearchRequest, 'attributes' | 'excludedAttributes'>): ScimSelection {
  const attributes = namesIn(request.attributes)
  const excluded = namesIn(request.excludedAttributes)
  if (attributes.size > 0 && excluded.size > 0) {
    throw scimError('invalidValue', 'attributes and excludedAttributes exclude each other')
  }
  return { attributes: attributes.size > 0 ? attributes : undefined, excluded }
}

function namesIn(names: readonly string[]): ReadonlySet<string> {
  const given = names.map((name) => attributeName(name.trim())).filter((name) => name !== '')
  if (given.length > MAX_NAMES) throw scimError('tooMany', 'too many attributes are named')
  return new Set(given)
}

/** Whether a response has an attribute, or a part of one: `name.familyName`. */
export function isSelected({ attributes, excluded }: ScimSelection, name: string): boolean {
  const folded = foldAscii(name)
  const [whole = ''] = folded.split('.', 1)
  if (ALWAYS.has(whole)) return true
  if (!attributes) return !excluded.has(whole) && !excluded.has(folded)
  return attributes.has(whole) || attributes.has(folded) || [...attributes].some((one) => one.startsWith(`${folded}.`))
}

/** The resource with the attributes that the caller wants. */
export function selectAttributes(
  resource: Readonly<Record<string, unknown>>,
  selection: ScimSelection,
): Readonly<Record<string, unknown>> {
  if (!selection.attributes && selection.excluded.size === 0) return resource
  const shown = Object.entries(resource).flatMap(([name, value]) => {
    const selected = isSelected(selection, name) ? selectParts(name, value, selection) : undefined
    return selected === undefined ? [] : [[name, selected] as const]
  })
  return Object.fromEntries(shown)
}

/** Undefined when nothing of the value is left. */
function selectParts(name: string, value: unknown, selection: ScimSelection): unknown {
  if (Array.isArray(value)) {
    const shown = value.map((each) => selectParts(name, each, selection)).filter((each) => each !== undefined)
    return shown.length > 0 || value.length === 0 ? shown : undefined
  }
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).filter(([part]) => isSelected(selection, `${name}.${part}`))
  return parts.length > 0 ? Object.fromEntries(parts) : undefined
}
