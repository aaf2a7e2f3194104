import type { TSchema, Type as TypeBox } from 'typebox'

export type { Static, TObject, TSchema } from 'typebox'

type Builders = 'Array' | 'Boolean' | 'Enum' | 'Integer' | 'Null' | 'Number'
type Composers = 'Object' | 'Optional' | 'Record' | 'String' | 'Union' | 'Unknown'
type Options = Readonly<Record<string, unknown>>

/** Marks an optional member. Not enumerable, so that it is not serialized into a JSON Schema. */
const OPTIONAL = '~optional'

const ofType = (type: string) => (options?: Options) => ({ type, ...options })

/**
 * The TypeBox builders that the contract uses, with the same types and results. Only the types are imported from TypeBox: loading the package
 * takes 20 MiB in every thread and more time than most commands, and its validators are not used.
 */
const Type = {
  Boolean: ofType('boolean'),
  Integer: ofType('integer'),
  Null: ofType('null'),
  Number: ofType('number'),
  String: ofType('string'),
  Unknown: (options?: Options) => ({ ...options }),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: values, ...options }),
  Array: (items: object, options?: Options) => ({ type: 'array', items, ...options }),
  Union: (anyOf: readonly object[], options?: Options) => ({ anyOf, ...options }),
  Record: (_key: object, value: object, options?: Options) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  Object: (properties: Readonly<Record<string, object>>, options?: Options) => {
    const required = Object.keys(properties).filter((name) => !isOptional(properties[name] ?? {}))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
  Optional: (schema: object) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
} as unknown as Pick<typeof TypeBox, Builders | Composers>

export default Type

export function isOptional(schema: object): boolean {
  return OPTIONAL in schema
}

/** Adds keywords to a schema. An optional schema stays optional. */
export function annotated<Schema extends TSchema>(schema: Schema, keywords: Options): Schema {
  const copy = { ...schema, ...keywords }
  return isOptional(schema) ? Object.defineProperty(copy, OPTIONAL, { value: true }) : copy
}
