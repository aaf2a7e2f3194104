import type { Static, TSchema } from '../schema/type.ts'

/** The command's flag for a member, where it differs from what the member's name and type give. */
export interface FlagNotes {
  /** Without the dashes: `cert` */
  readonly name?: string
  readonly kind?: 'file'
  /** Stands for the value in help: `URL` */
  readonly value?: string
  /** The line in help; the member's description unless given. */
  readonly help?: string
}

/** What is to be known of a member beside its type. */
export interface FieldNotes {
  /** For OpenAPI and the command's help; may be left out where the name says it all. */
  readonly description?: string
  /** The value of a member that is not given; null where there is none then. A member without a default is required in POST and PUT. */
  readonly default?: unknown
  /** The wire's type, where bodies may say more than is stored. */
  readonly accepts?: TSchema
  /** In answers only. */
  readonly readOnly?: true
  /** In bodies only: what becomes of it is for the resource's operations to say. */
  readonly writeOnly?: true
  /** In the body of POST only. */
  readonly createOnly?: true
  /** May be left out although it has no default; of a stored member it is undefined then. */
  readonly optional?: true
  /** The type in answers, where it differs from what is stored or given. */
  readonly shownAs?: TSchema
  /** False: not in the files of `export`, since another member says the same or this product has no use for it. */
  readonly exported?: false
  /** Left out of answers while it is null. */
  readonly absentWhenNull?: true
  /** A symbol of filters and sorting. */
  readonly filterable?: true
  /** A PUT that does not name the member keeps it; null, like an empty list, clears it in PUT and PATCH. */
  readonly keptByPut?: true
  /** Blank text changes nothing; elsewhere it sets the default. */
  readonly blankIsIgnored?: true
  /** `none`: set by another command, by `--set` or in a file. */
  readonly flag?: FlagNotes | 'none'
}

/** A member of a resource: its type as it is stored and answered, with notes. */
export interface Field<Schema extends TSchema = TSchema, Notes extends FieldNotes = FieldNotes> {
  readonly schema: Schema
  readonly notes: Notes
}

/** Members that stand together in an object. */
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

/** Whether bodies of POST and PUT may leave the member out. */
export function mayBeLeftOut({ notes }: Field): boolean {
  return notes.optional === true || 'default' in notes
}

/** Whether the member is one of the resource's settings: written by people and stored as it is. */
export function isSetting({ notes }: Field): boolean {
  return !(notes.readOnly || notes.writeOnly || notes.createOnly)
}

/** Settings are never changed in place. */
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value

type Unstored = { readonly readOnly: true } | { readonly writeOnly: true } | { readonly createOnly: true }
type LeftOut = { readonly default: unknown } | { readonly optional: true }

type NothingOf<Notes> = Notes extends { readonly default: null }
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
      ? Frozen<Static<Schema>> | NothingOf<Notes>
      : never
}

type WireOf<Member> =
  Member extends Field<infer Schema, infer Notes>
    ?
        | (Notes extends { readonly accepts: infer Wire extends TSchema } ? Static<Wire> : Static<Schema>)
        | (Notes extends { readonly keptByPut: true } ? null : never)
    : never

/** Flattens an intersection, so that types read well in errors. */
type Flat<Value> = { [Name in keyof Value]: Value[Name] }

type NotIn<Inner, Notes> = {
  [Name in keyof Inner]: Inner[Name] extends Field<TSchema, Notes & FieldNotes> ? never : Name
}[keyof Inner]
type LeftOutIn<Inner> = {
  [Name in keyof Inner]: Inner[Name] extends Field<TSchema, LeftOut> ? Name : never
}[keyof Inner]

type BodyOf<Inner, Names extends keyof Inner> = Flat<
  {
    [Name in Exclude<Names, LeftOutIn<Inner>>]: Inner[Name] extends Group<infer Deeper>
      ? BodyOf<Deeper, keyof Deeper>
      : WireOf<Inner[Name]>
  } & { [Name in Names & LeftOutIn<Inner>]?: WireOf<Inner[Name]> }
>

type PatchOfMembers<Inner, Names extends keyof Inner> = {
  [Name in Names]?: Inner[Name] extends Group<infer Deeper> ? PatchOfMembers<Deeper, keyof Deeper> : WireOf<Inner[Name]>
}

/** The settings of a resource: every member has a value, null where its default is null. */
export type SettingsOf<R extends { readonly members: Members }> = SettingsOfMembers<R['members']>
/** Body of POST. */
export type CreateOf<R extends { readonly members: Members }> = BodyOf<
  R['members'],
  NotIn<R['members'], { readonly readOnly: true }>
>
/** Body of PUT, and of POST where no member is for POST alone. */
export type WriteOf<R extends { readonly members: Members }> = BodyOf<
  R['members'],
  NotIn<R['members'], { readonly readOnly: true }> & NotIn<R['members'], { readonly createOnly: true }>
>
/** Body of PATCH. */
export type PatchOf<R extends { readonly members: Members }> = PatchOfMembers<
  R['members'],
  NotIn<R['members'], { readonly readOnly: true }> & NotIn<R['members'], { readonly createOnly: true }>
>
