import type { Static, TSchema } from '../schema/type.ts'

/** The CLI flag of a member, where it differs from the default that its name and type give. */
export interface FlagNotes {
  /** Without the dashes, such as `cert`. */
  readonly name?: string
  /**
   * `text`: requests have a text where the stored value has another type. `file`: the contents of a file; `files`: of several; `keys`: public keys of files, as a key set;
   * `secret`: of a file, without the line break at its end.
   */
  readonly kind?: 'file' | 'files' | 'keys' | 'secret' | 'text'
  /** The placeholder of the value in help, such as `URL`. */
  readonly value?: string
  /** The help text. Default: the member's description. */
  readonly help?: string
}

/** The properties of a member besides its type. */
export interface FieldNotes {
  /** For OpenAPI and the CLI's help. Omitted where the name suffices. */
  readonly description?: string
  /** The value when the body omits the member; null for no value. A member without a default is required in POST and PUT. */
  readonly default?: unknown
  /** The type in bodies, when it is wider than the stored type. */
  readonly accepts?: TSchema
  /** In responses only. */
  readonly readOnly?: true
  /** In bodies only. The resource's operations decide what to do with it. */
  readonly writeOnly?: true
  /** In the body of POST only. */
  readonly createOnly?: true
  /** Bodies may omit it although it has no default. A stored member is undefined then. */
  readonly optional?: true
  /** The type in responses, when it differs from the stored type. */
  readonly responseSchema?: TSchema
  /** False: not in the files of `export`, because another member has the same value. `when-set`: only where it differs from its default. */
  readonly exported?: false | 'when-set'
  /** Omitted from responses while it is null. */
  readonly absentWhenNull?: true
  /** Usable in filters and for sorting. */
  readonly filterable?: true
  /** A PUT that omits the member keeps its value. Null and an empty array clear it in PUT and PATCH. */
  readonly keptByPut?: true
  /** A blank string changes nothing. Without this, it sets the default. */
  readonly blankIsIgnored?: true
  /** `none`: no flag; set by another command, by `--set` or in a file. */
  readonly flag?: FlagNotes | 'none'
}

/** A member of a resource: its stored type and further properties. */
export interface Field<Schema extends TSchema = TSchema, Notes extends FieldNotes = FieldNotes> {
  readonly schema: Schema
  readonly notes: Notes
}

/** Members that are nested in an object. */
export interface Group<Inner extends Members = Members> {
  readonly members: Inner
}

export interface Members {
  readonly [name: string]: Field | Group
}

export function field<Schema extends TSchema, const Notes extends FieldNotes = Record<never, never>>(
  schema: Schema,
  notes?: Notes,
): Field<Schema, Notes> {
  return { schema, notes: notes ?? ({} as Notes) }
}

export function group<const Inner extends Members>(members: Inner): Group<Inner> {
  return { members }
}

export function isGroup(member: Field | Group): member is Group {
  return 'members' in member
}

/** Whether bodies of POST and PUT may omit the member. */
export function isOptionalInBody({ notes }: Field): boolean {
  return notes.optional === true || 'default' in notes
}

/** Whether bodies may omit the whole group: they may omit each of its members. Null clears it then. */
export function isOptionalGroup({ members }: Group): boolean {
  return Object.values(members).every((member) =>
    isGroup(member) ? isOptionalGroup(member) : isOptionalInBody(member),
  )
}

/** Whether the member is a setting: in bodies, and stored. */
export function isSetting({ notes }: Field): boolean {
  return !(notes.readOnly || notes.writeOnly || notes.createOnly)
}

/** Deeply readonly. */
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value

type Unstored = { readonly readOnly: true } | { readonly writeOnly: true } | { readonly createOnly: true }
type Omittable = { readonly default: unknown } | { readonly optional: true }

type AbsentValueOf<Notes> = Notes extends { readonly default: null }
  ? null
  : Notes extends { readonly optional: true }
    ? undefined
    : never

type SettingsOfMembers<Inner> = {
  readonly [Name in keyof Inner as Inner[Name] extends Field<TSchema, Unstored>
    ? never
    : Name]: Inner[Name] extends Group<infer Deeper>
    ? SettingsOfMembers<Deeper>
    : Inner[Name] extends Field<infer Schema, infer Notes>
      ? Frozen<Static<Schema>> | AbsentValueOf<Notes>
      : never
}

type WireOf<Member> =
  Member extends Field<infer Schema, infer Notes>
    ?
        | (Notes extends { readonly accepts: infer Wire extends TSchema } ? Static<Wire> : Static<Schema>)
        | (Notes extends { readonly keptByPut: true } ? null : never)
    : never

/** Flattens an intersection, for readable types in compiler errors. */
type Flat<Value> = { [Name in keyof Value]: Value[Name] }

type NotIn<Inner, Notes> = {
  [Name in keyof Inner]: Inner[Name] extends Field<TSchema, Notes & FieldNotes> ? never : Name
}[keyof Inner]
type OmittableIn<Inner> = {
  [Name in keyof Inner]: Inner[Name] extends Field<TSchema, Omittable>
    ? Name
    : Inner[Name] extends Group<infer Deeper>
      ? keyof Deeper extends OmittableIn<Deeper>
        ? Name
        : never
      : never
}[keyof Inner]

type BodyOf<Inner, Names extends keyof Inner> = Flat<
  {
    [Name in Exclude<Names, OmittableIn<Inner>>]: BodyMemberOf<Inner[Name]>
  } & { [Name in Names & OmittableIn<Inner>]?: BodyMemberOf<Inner[Name]> | NullOfGroup<Inner[Name]> }
>
type BodyMemberOf<Member> = Member extends Group<infer Deeper> ? BodyOf<Deeper, keyof Deeper> : WireOf<Member>
type NullOfGroup<Member> =
  Member extends Group<infer Deeper> ? (keyof Deeper extends OmittableIn<Deeper> ? null : never) : never

type PatchOfMembers<Inner, Names extends keyof Inner> = {
  [Name in Names]?:
    | (Inner[Name] extends Group<infer Deeper> ? PatchOfMembers<Deeper, keyof Deeper> : WireOf<Inner[Name]>)
    | NullOfGroup<Inner[Name]>
}

/** The settings of a resource: every member has a value, null where its default is null. */
export type SettingsOf<R extends { readonly members: Members }> = SettingsOfMembers<R['members']>
/** Body of POST. */
export type CreateOf<R extends { readonly members: Members }> = BodyOf<
  R['members'],
  NotIn<R['members'], { readonly readOnly: true }>
>
/** Body of PUT, and of POST when no member is `createOnly`. */
export type WriteOf<R extends { readonly members: Members }> = BodyOf<
  R['members'],
  NotIn<R['members'], { readonly readOnly: true }> & NotIn<R['members'], { readonly createOnly: true }>
>
/** Body of PATCH. */
export type PatchOf<R extends { readonly members: Members }> = PatchOfMembers<
  R['members'],
  NotIn<R['members'], { readonly readOnly: true }> & NotIn<R['members'], { readonly createOnly: true }>
>
