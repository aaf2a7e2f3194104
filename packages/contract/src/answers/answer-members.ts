import Type, { annotated, type TSchema } from '../schema/type.ts'

/** Members that answers are made of. Answers may hold more members than are written here: clients pass over the rest. */
export const instant = () => Type.String({ format: 'date-time' })
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
export const strings = () => Type.Array(Type.String())
export const map = <Schema extends TSchema>(schema: Schema) => Type.Record(Type.String(), schema)

const link = () => Type.Object({ href: Type.String() })
const tag = () => Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

export const tags = () =>
  annotated(map(tag()), { description: 'Notes of one’s own: text, numbers, booleans or null by name' })

/** Every thing has these. */
export const base = {
  _links: map(link()),
  id: Type.String(),
  createdAt: instant(),
  updatedAt: instant(),
  tags: tags(),
}

/** A thing as it stands inside another. */
export const reference = () =>
  Type.Object({ _links: map(link()), entity: Type.String(), id: Type.String(), name: Type.String() })
