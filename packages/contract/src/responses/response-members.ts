import Type, { annotated, type TSchema } from '../schema/type.ts'

/** Builders for members of responses. Clients ignore unknown members, so responses may contain more than is described. */
export const instant = () => Type.String({ format: 'date-time' })
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
export const strings = () => Type.Array(Type.String())
export const map = <Schema extends TSchema>(schema: Schema) => Type.Record(Type.String(), schema)

/** Selector of a claim to its accepted values: one, several, or those that match a pattern. */
export const claimValues = () => map(Type.Union([Type.String(), strings(), Type.Object({ glob: Type.String() })]))

const link = () => Type.Object({ href: Type.String() })
const tag = () => Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

export const tags = () =>
  annotated(map(tag()), { description: 'Custom values by name: strings, numbers, booleans or null' })

/** The members of every entity. */
export const base = {
  _links: map(link()),
  id: Type.String(),
  createdAt: instant(),
  updatedAt: instant(),
  tags: tags(),
}

/** A reference to another entity. */
export const reference = () =>
  Type.Object({ _links: map(link()), entity: Type.String(), id: Type.String(), name: Type.String() })
