import { type Field, isGroup, isSetting, type Members, type SettingsOf } from '@countersign/contract/resource'
import { atMost } from './rules.ts'

/** The form's type for a value: unset text and numbers are ''. */
type FormValue<Value> = null extends Value
  ? number extends Value
    ? number | ''
    : FormValue<NonNullable<Value>>
  : Value extends readonly (infer Item)[]
    ? Item[]
    : Value

export type FormValuesOf<Resource extends { readonly members: Members }> = {
  -readonly [Name in keyof SettingsOf<Resource>]: FormValue<SettingsOf<Resource>[Name]>
}

type LengthRule = (value: never) => string | null
type Values = Readonly<Record<string, unknown>>
interface Limits {
  readonly type?: string
  readonly maxLength?: number
  readonly maxItems?: number
  readonly items?: Limits
}

/** The form values of an existing entity, or of a new one. Text that has a default stays empty. */
export function toFormValues<Resource extends { readonly members: Members }>(
  { members }: Resource,
  entity: object | undefined,
): FormValuesOf<Resource> {
  const values = listSettings(members).map(([name, field]) => [name, toFormValue(field, (entity as Values)?.[name])])
  return Object.fromEntries(values) as FormValuesOf<Resource>
}

/** The request body for form values: '' becomes null. */
export function fromFormValues(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === '' ? null : value]))
}

/** Rules for the contract's limits on text length and list size. */
export function lengthRules({ members }: { readonly members: Members }): Record<string, LengthRule> {
  return Object.fromEntries(
    listSettings(members).flatMap(([name, { schema }]): [string, LengthRule][] => {
      const { type, maxLength, maxItems, items } = schema as Limits
      if (type === 'string' && maxLength !== undefined) return [[name, atMost(maxLength)]]
      return type === 'array' ? [[name, listRule(maxItems, items?.maxLength)]] : []
    }),
  )
}

function toFormValue({ schema, notes }: Field, value: unknown): unknown {
  const { type } = schema as Limits
  if (type === 'array') return [...((value ?? []) as unknown[])]
  if (value !== null && value !== undefined) return value
  return type === 'string' ? '' : (notes.default ?? '')
}

const listRule = (maxItems = Number.POSITIVE_INFINITY, maxLength = Number.POSITIVE_INFINITY) => {
  return (list: readonly string[]): string | null => {
    if (list.length > maxItems) return `At most ${maxItems} are allowed`
    return list.some(({ length }) => length > maxLength) ? `At most ${maxLength} characters each` : null
  }
}

function listSettings(members: Members): (readonly [string, Field])[] {
  return Object.entries(members).flatMap(([name, member]) => {
    return !isGroup(member) && isSetting(member) ? [[name, member] as const] : []
  })
}
