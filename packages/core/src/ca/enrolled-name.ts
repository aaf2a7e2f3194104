import { MAX_NAME_LENGTH } from '@countersign/contract/limits'

const COUNTER_DIGITS = 6

/** The values of the placeholders in an `identityNameFormat`. */
export interface EnrolledNameParts {
  readonly caName: string
  readonly caId: string
  readonly commonName: string
  readonly requestedName: string
  readonly identityId: string
}

/**
 * Fills in a format, each placeholder once: a value that looks like one stays as it is. Room for a counter is left. The id when nothing else is
 * left, as of a certificate without common name.
 */
export function buildEnrolledName(format: string, parts: EnrolledNameParts): string {
  const name = format.replaceAll(/\[(\w+)\]/g, (placeholder, part: string) => {
    return Object.hasOwn(parts, part) ? parts[part as keyof EnrolledNameParts] : placeholder
  })
  // A cut may separate a surrogate pair.
  const cut = name.slice(0, MAX_NAME_LENGTH - COUNTER_DIGITS).replace(/[\ud800-\udbff]$/, '')
  return cut.trim() === '' ? parts.identityId : cut
}

/** The largest number that a counter can have. */
export const MAX_COUNTER = 10 ** COUNTER_DIGITS - 1

/** `fixed000002`: the name of a further identity with the same name. */
export function withCounter(name: string, count: number): string {
  return name + String(count).padStart(COUNTER_DIGITS, '0')
}

/** The name with the id of its identity, for when no counter is left. */
export function withIdentityId(name: string, identityId: string): string {
  return `${name.slice(0, MAX_NAME_LENGTH - identityId.length - 1)}-${identityId}`
}

/** The number that `withCounter` has appended to a name; undefined when it is another name. */
export function findCounter(base: string, name: string): number | undefined {
  const rest = name.startsWith(base) ? name.slice(base.length) : ''
  return /^\d{6}$/.test(rest) ? Number(rest) : undefined
}
