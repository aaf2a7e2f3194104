import type { ErrorCode } from '@countersign/contract'
import { foldAscii } from '../filter/filter.ts'

/** The part of JSON Schema that our wire shapes use. */
export interface BodySchema {
  readonly type?: string | undefined
  readonly properties?: Readonly<Record<string, BodySchema>> | undefined
  readonly required?: readonly string[] | undefined
  /** False: unknown members are refused. Otherwise they are ignored, as existing clients expect. */
  readonly additionalProperties?: boolean | undefined
  readonly items?: BodySchema | undefined
  readonly anyOf?: readonly BodySchema[] | undefined
  readonly enum?: readonly unknown[] | undefined
  readonly format?: string | undefined
  readonly minLength?: number | undefined
  readonly maxLength?: number | undefined
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
  readonly maxItems?: number | undefined
  /** The error code for a wrong type or length, instead of the usual one. */
  readonly refusedAs?: ErrorCode | undefined
  /** Null clears the member; without this it means "not given". */
  readonly nullClears?: boolean | undefined
  /** Error responses never repeat the value. */
  readonly secret?: boolean | undefined
}

export function isOptional(schema: BodySchema, name: string): boolean {
  return !schema.required?.includes(name)
}

const namesOf = new WeakMap<BodySchema, ReadonlyMap<string, string>>()
const orderOf = new WeakMap<BodySchema, readonly (readonly [string, BodySchema])[]>()

/** The member names by their lower-case form. Only ASCII is lower-cased, so that no other letter maps to one of ours. */
export function memberNames(schema: BodySchema): ReadonlyMap<string, string> {
  let names = namesOf.get(schema)
  if (!names) {
    names = new Map(Object.keys(schema.properties ?? {}).map((name) => [foldAscii(name), name]))
    namesOf.set(schema, names)
  }
  return names
}

/** The members in the order in which they are checked. */
export function membersInOrder(schema: BodySchema): readonly (readonly [string, BodySchema])[] {
  let order = orderOf.get(schema)
  if (!order) {
    order = Object.entries(schema.properties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
    orderOf.set(schema, order)
  }
  return order
}
