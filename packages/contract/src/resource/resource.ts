import Type, { annotated, type TObject, type TSchema } from '../schema/type.ts'
import { type Field, type FieldNotes, isGroup, isOptionalGroup, isOptionalInBody, type Members } from './field.ts'

/** The description of a resource, from which bodies, responses, rows, CLI flags and forms are derived. */
export interface Resource<Inner extends Members = Members> {
  readonly members: Inner
  /** Body of POST: that of PUT plus the members that are `createOnly`. */
  readonly create: TObject
  /** Body of PUT. */
  readonly write: TObject
  /** Body of PATCH: every member is optional, at any depth. */
  readonly patch: TObject
  /** The members of responses in wire order, without those that every entity has. */
  readonly response: Readonly<Record<string, TSchema>>
}

export function resource<const Inner extends Members>(members: Inner): Resource<Inner> {
  return {
    members,
    create: bodyOf(members, ({ readOnly }) => !readOnly, 'write'),
    write: bodyOf(members, ({ readOnly, createOnly }) => !(readOnly || createOnly), 'write'),
    patch: bodyOf(members, ({ readOnly, createOnly }) => !(readOnly || createOnly), 'patch'),
    response: responseOf(members),
  }
}

type Includes = (notes: FieldNotes) => boolean

function bodyOf(members: Members, includes: Includes, kind: 'write' | 'patch'): TObject {
  const schemas = Object.entries(members).flatMap(([name, member]): [string, TSchema][] => {
    if (isGroup(member)) {
      const isOptional = isOptionalGroup(member)
      const inner = annotated(bodyOf(member.members, includes, kind), isOptional ? { nullClears: true } : {})
      return [[name, kind === 'patch' || isOptional ? Type.Optional(inner) : inner]]
    }
    return includes(member.notes) ? [[name, bodyMember(member, kind)]] : []
  })
  return Type.Object(Object.fromEntries(schemas))
}

function bodyMember(member: Field, kind: 'write' | 'patch'): TSchema {
  const { schema, notes } = member
  const { description, keptByPut } = notes
  // A member with `keptByPut` has no default on the wire. A default of null means "no value", so it is not described.
  const hasDefault = kind === 'write' && !keptByPut && notes.default !== undefined && notes.default !== null
  const wire = annotated(notes.accepts ?? schema, {
    ...(description !== undefined && { description }),
    ...(hasDefault && { default: notes.default }),
    ...(keptByPut && { nullClears: true }),
  })
  return kind === 'patch' || isOptionalInBody(member) ? Type.Optional(wire) : wire
}

function responseOf(members: Members): Record<string, TSchema> {
  const schemas = Object.entries(members).flatMap(([name, member]): [string, TSchema][] => {
    if (isGroup(member)) return [[name, Type.Object(responseOf(member.members))]]
    return isInResponses(member.notes) ? [[name, responseMember(member)]] : []
  })
  return Object.fromEntries(schemas)
}

function isInResponses({ writeOnly, createOnly, responseSchema }: FieldNotes): boolean {
  return responseSchema !== undefined || !(writeOnly || createOnly)
}

function responseMember({ schema, notes }: Field): TSchema {
  const { description, absentWhenNull, optional, readOnly, responseSchema } = notes
  const bare = withoutBounds(responseSchema ?? schema)
  const typed = notes.default === null && !absentWhenNull ? Type.Union([bare, Type.Null()]) : bare
  const described = annotated(typed, description === undefined ? {} : { description })
  // A member that is optional in bodies only is in every response.
  return (optional && readOnly) || absentWhenNull ? Type.Optional(described) : described
}

/** Keywords that apply to bodies only. */
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
