import type { Item } from './resource-kind.ts'

interface Origin {
  readonly attribute: string
  readonly origin: string
}

/** The attributes that administrators have written; all of them on a controller that does not tell their origin. */
export function manualAttributesOf({ attributeOrigins, roleAttributes }: Item): unknown {
  return Array.isArray(attributeOrigins) ? attributesFrom(attributeOrigins as Origin[], 'manual') : roleAttributes
}

/**
 * Removes the attributes that signers supply and that no administrator has written: writing them changes nothing, so a file that names them
 * would never be applied.
 */
export function withoutSupplied({ attributeOrigins }: Item, desired: unknown): unknown {
  if (!Array.isArray(attributeOrigins) || !Array.isArray(desired)) return desired
  const manual = new Set(attributesFrom(attributeOrigins as Origin[], 'manual'))
  const supplied = new Set(attributesFrom(attributeOrigins as Origin[], 'signer'))
  return desired.filter((attribute) => manual.has(attribute) || !supplied.has(attribute))
}

function attributesFrom(origins: readonly Origin[], wanted: string): string[] {
  return origins.flatMap(({ attribute, origin }) => (origin === wanted ? [attribute] : []))
}
