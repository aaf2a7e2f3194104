import { isJsonObject, type JsonValue } from '../json/json-value.ts'
import { withoutUnsafeCharacters } from '../text/plain-text.ts'
import { scimError } from './scim-error.ts'
import type { ScimFilter } from './scim-filter.ts'
import { readScimBoolean, readShownText } from './scim-members.ts'
import type { ScimPatchOp, ScimTarget } from './scim-patch.ts'
import { readAddress, readEmails, type ScimEmail } from './scim-user.ts'

/** A change of the emails of a user, independent of its state. */
export type ScimEmailChange =
  | {
      readonly kind: 'emails'
      readonly op: ScimPatchOp
      readonly filter?: ScimFilter
      readonly value: readonly ScimEmail[]
    }
  /** A part of the selected emails; without a selection, of all. */
  | {
      readonly kind: 'email-part'
      readonly filter?: ScimFilter
      readonly part: keyof ScimEmail
      readonly value: string | boolean | null
    }

const EMAIL_PARTS: readonly (keyof ScimEmail)[] = ['value', 'type', 'display', 'primary']

export function readEmailChanges({ op, path, value: given }: ScimTarget): ScimEmailChange[] {
  const value = op === 'remove' ? undefined : given
  const filter = path.filter && readEmailFilter(path.filter)
  const selected = filter && { filter }
  if (path.part === undefined)
    return [{ kind: 'emails', op, ...selected, value: readEmails(withSelection(filter, value)) }]
  const part = EMAIL_PARTS.find((known) => known === path.part)
  if (!part) return []
  return [{ kind: 'email-part', ...selected, part, value: readEmailPart(part, value) }]
}

/** Fails for a filter that `matches` does not know. Shown parts are compared as they are stored, without unsafe characters. */
function readEmailFilter(filter: ScimFilter): ScimFilter {
  if (filter.kind === 'and' || filter.kind === 'or') return { ...filter, terms: filter.terms.map(readEmailFilter) }
  if (filter.kind === 'not') return { ...filter, term: readEmailFilter(filter.term) }
  if (filter.kind === 'some' || (filter.kind === 'compare' && !['eq', 'ne'].includes(filter.operator))) {
    throw scimError('invalidFilter', 'the filter of a path compares parts by eq and ne only')
  }
  const isShown = filter.kind === 'compare' && filter.attribute !== 'value' && typeof filter.value === 'string'
  return isShown ? { ...filter, value: withoutUnsafeCharacters(String(filter.value)) } : filter
}

/** A replaced value keeps what selected it. */
function withSelection(filter: ScimFilter | undefined, value: JsonValue | undefined): JsonValue | undefined {
  if (!filter || !isJsonObject(value)) return value
  return { ...selectedParts(filter), ...value }
}

function readEmailPart(part: keyof ScimEmail, value: JsonValue | undefined): string | boolean | null {
  if (value === undefined || value === null || value === '') return null
  if (part === 'primary') return readScimBoolean('emails.primary', value)
  return part === 'value' ? readAddress(value) : readShownText(`emails.${part}`, value)
}

/** The emails after a change. */
export function applyEmailChange(emails: readonly ScimEmail[], change: ScimEmailChange): readonly ScimEmail[] {
  return change.kind === 'emails' ? changedEmails(emails, change) : changedEmailParts(emails, change)
}

function changedEmails(
  emails: readonly ScimEmail[],
  { op, filter, value }: Extract<ScimEmailChange, { kind: 'emails' }>,
): readonly ScimEmail[] {
  const others = filter ? emails.filter((email) => !matches(email, filter)) : []
  if (op === 'remove') return others
  if (op === 'replace') return withOnePrimary([...others, ...value], value)
  const isNew = ({ value: address, type }: ScimEmail) =>
    !emails.some((email) => email.value === address && email.type === type)
  return withOnePrimary([...emails, ...value.filter(isNew)], value)
}

/**
 * An email that nothing selects is added by an operation on one of its parts: Entra sets `emails[type eq "work"].value` of a user without emails. It may
 * set `primary` before: `checkHaveValues` fails for an email that gets no value by the end of the request.
 */
function changedEmailParts(
  emails: readonly ScimEmail[],
  { filter, part, value }: Extract<ScimEmailChange, { kind: 'email-part' }>,
): readonly ScimEmail[] {
  const selected = new Set(filter ? emails.filter((email) => matches(email, filter)) : emails)
  if (value === null) {
    if (part === 'value') return emails.filter((email) => !selected.has(email))
    return emails.map((email) => (selected.has(email) ? withoutPart(email, part) : email))
  }
  if (selected.size > 0) {
    const changes = new Map([...selected].map((email) => [email, { ...email, [part]: value }]))
    const changed = emails.map((email) => changes.get(email) ?? email)
    return part === 'primary' && value === true ? withOnePrimary(changed, [...changes.values()]) : changed
  }
  const added = { ...selectedParts(filter), value: '', [part]: value }
  return withOnePrimary([...emails, added], [added])
}

/** Fails for an email of which operations have set other parts only. */
export function checkHaveValues(emails: readonly ScimEmail[]): void {
  if (emails.some(({ value }) => value === '')) throw scimError('noTarget', 'the path selects no email')
}

function withoutPart(email: ScimEmail, part: 'type' | 'display' | 'primary' | 'value'): ScimEmail {
  const { [part]: _, ...others } = email
  return { value: email.value, ...others }
}

/** At most one value is the primary one: the latest that was given so. */
function withOnePrimary(emails: readonly ScimEmail[], latest: readonly ScimEmail[]): readonly ScimEmail[] {
  const primary = latest.findLast((email) => email.primary)
  if (!primary) return emails
  return emails.map((email) => (email.primary && email !== primary ? { ...email, primary: false } : email))
}

/** What `type eq "work"` says about a value that it selects. */
function selectedParts(filter: ScimFilter | undefined): { type?: string; primary?: boolean } {
  if (filter?.kind === 'and') return Object.assign({}, ...filter.terms.map(selectedParts))
  if (filter?.kind !== 'compare' || filter.operator !== 'eq') return {}
  const { attribute, value } = filter
  if (attribute === 'type' && typeof value === 'string') return { type: value }
  return attribute === 'primary' && typeof value === 'boolean' ? { primary: value } : {}
}

function matches(email: ScimEmail, filter: ScimFilter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.terms.every((term) => matches(email, term))
    case 'or':
      return filter.terms.some((term) => matches(email, term))
    case 'not':
      return !matches(email, filter.term)
    case 'present':
      return partOf(email, filter.attribute) !== undefined
    default:
      // `readEmailFilter` has refused the others.
      return (
        filter.kind === 'compare' &&
        isSame(partOf(email, filter.attribute), filter.value) === (filter.operator === 'eq')
      )
  }
}

function partOf(email: ScimEmail, attribute: string): string | boolean | undefined {
  const part = EMAIL_PARTS.find((known) => known === attribute)
  return part && email[part]
}

function isSame(part: string | boolean | undefined, value: unknown): boolean {
  if (typeof part === 'string' && typeof value === 'string') return isSameText(part, value)
  if (typeof part === 'boolean' && typeof value === 'string') return isSameText(String(part), value)
  return part === value
}

/** Compares like `foldAscii`, up to the first difference: a PATCH has many filters, and each is compared with all emails. */
function isSameText(text: string, other: string): boolean {
  if (text.length !== other.length) return false
  for (let at = 0; at < text.length; at += 1) {
    if (foldedCode(text.charCodeAt(at)) !== foldedCode(other.charCodeAt(at))) return false
  }
  return true
}

const [CODE_OF_A, CODE_OF_Z, TO_LOWER_CASE] = [65, 90, 32]

function foldedCode(code: number): number {
  return code >= CODE_OF_A && code <= CODE_OF_Z ? code + TO_LOWER_CASE : code
}
