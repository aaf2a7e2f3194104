import Type, { annotated, type TObject, type TSchema } from '../schema/type.ts'
import { type Field, type FieldNotes, isGroup, type Members, mayBeLeftOut } from './field.ts'

/** One description of a resource, from which bodies, answers, rows, flags and forms are derived. */
export interface Resource<Inner extends Members = Members> {
  readonly members: Inner
  /** Body of POST: that of PUT, and what is for POST alone. */
  readonly create: TObject
  /** Body of PUT. */
  readonly write: TObject
  /** Body of PATCH: every member may be left out, at any depth. */
  readonly patch: TObject
  /** What answers hold of it, in this order; the members that every resource has are not among them. */
  readonly answer: Readonly<Record<string, TSchema>>
}

export function resource<const Inner extends Members>(members: Inner): Resource<Inner> {
  return {
    members,
    create: bodyOf(members, ({ readOnly }) => !readOnly, 'write'),
    write: bodyOf(members, ({ readOnly, createOnly }) => !(readOnly || createOnly), 'write'),
    patch: bodyOf(members, ({ readOnly, createOnly }) => !(readOnly || createOnly), 'patch'),
    answer: answerOf(members),
  }
}

type Belongs = (notes: FieldNotes) => boolean

function bodyOf(members: Members, belongs: Belongs, kind: 'write' | 'patch'): TObject {
  const schemas = Object.entries(members).flatMap(([name, member]): [string, TSchema][] => {
    if (isGroup(member)) {
      const inner = bodyOf(member.members, belongs, kind)
      return [[name, kind === 'patch' ? Type.Optional(inner) : inner]]
    }
    return belongs(member.notes) ? [[name, bodyMember(member, kind)]] : []
  })
  return Type.Object(Object.fromEntries(schemas))
}

function bodyMember(member: Field, kind: 'write' | 'patch'): TSchema {
  const { schema, notes } = member
  const { description, keptByPut } = notes
  // A PUT keeps the one, and null is the default of all others that have none.
  const hasDefault = kind === 'write' && !keptByPut && notes.default !== undefined && notes.default !== null
  const wire = annotated(notes.accepts ?? schema, {
    ...(description !== undefined && { description }),
    ...(hasDefault && { default: notes.default }),
    ...(keptByPut && { nullClears: true }),
  })
  return kind === 'patch' || mayBeLeftOut(member) ? Type.Optional(wire) : wire
}

function answerOf(members: Members): Record<string, TSchema> {
  const schemas = Object.entries(members).flatMap(([name, member]): [string, TSchema][] => {
    if (isGroup(member)) return [[name, Type.Object(answerOf(member.members))]]
    return isAnswered(member.notes) ? [[name, answerMember(member)]] : []
  })
  return Object.fromEntries(schemas)
}

function isAnswered({ writeOnly, createOnly, shownAs }: FieldNotes): boolean {
  return shownAs !== undefined || !(writeOnly || createOnly)
}

function answerMember({ schema, notes }: Field): TSchema {
  const { description, absentWhenNull, optional, readOnly, shownAs } = notes
  const bare = withoutBounds(shownAs ?? schema)
  const shown = notes.default === null && !absentWhenNull ? Type.Union([bare, Type.Null()]) : bare
  const described = annotated(shown, description === undefined ? {} : { description })
  // A member that bodies may leave out is in every answer.
  return (optional && readOnly) || absentWhenNull ? Type.Optional(described) : described
}

/** What bodies are held to; answers have what is stored. */
const BOUNDS = new Set(['minLength', 'maxLength', 'minimum', 'maximum', 'maxItems', 'secret', 'refusedAs'])

function withoutBounds(schema: TSchema): TSchema {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (BOUNDS.has(keyword) || (keyword === 'format' && value === 'uri')) return []
    return [[keyword, keyword === 'items' ? withoutBounds(value) : value]]
  })
  return Object.fromEntries(entries) as unknown as TSchema
}

/** Every field at any depth, by its path: `primary.cert.allowed`. */
export function listFields(members: Members, path = ''): (readonly [path: string, field: Field])[] {
  return Object.entries(members).flatMap(([name, member]) => {
    return isGroup(member) ? listFields(member.members, `${path}${name}.`) : [[`${path}${name}`, member] as const]
  })
}
