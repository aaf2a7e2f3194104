import Type, { type TSchema } from 'typebox'

/** Members that answers are made of. Answers may hold more members than are written here: clients pass over the rest. */
export const instant = () => Type.String({ format: 'date-time' })
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
export const strings = () => Type.Array(Type.String())
export const map = <Schema extends TSchema>(schema: Schema) => Type.Record(Type.String(), schema)

const link = () => Type.Object({ href: Type.String() })
const tag = () => Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

/** Every thing has these. */
export const base = {
  _links: map(link()),
  id: Type.String(),
  createdAt: instant(),
  updatedAt: instant(),
  tags: map(tag()),
}

/** A thing as it stands inside another. */
export const reference = () =>
  Type.Object({ _links: map(link()), entity: Type.String(), id: Type.String(), name: Type.String() })
