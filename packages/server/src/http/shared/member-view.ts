import { type Field, isGroup, type Members } from '@countersign/contract/resource'

/** A view written by hand, for speed or for the names of existing clients. The type requires every setting. */
export type Shown<Settings> = Readonly<Record<string, unknown>> & Readonly<Record<keyof Settings, unknown>>

type Values = Readonly<Record<string, unknown>>

interface ShownMember {
  readonly name: string
  read(entity: Values): unknown
  readonly isAbsentWhenNull: boolean
}

/**
 * Returns a function that builds the response members of a resource, in the contract's order. `computed` provides the members that are not
 * settings. Tags are left out: the caller adds them with the members that every resource has.
 */
export function createMemberView<Entity extends object>(
  members: Members,
  computed: Readonly<Record<string, (entity: Entity) => unknown>> = {},
): (entity: Entity) => Record<string, unknown> {
  const shown = Object.entries(members).flatMap(([name, member]): ShownMember[] => {
    if (isGroup(member)) {
      const view = createMemberView<object>(member.members)
      return [{ name, read: (entity) => view(entity[name] as object), isAbsentWhenNull: false }]
    }
    const compute = computed[name] as ShownMember['read'] | undefined
    if (compute) return [{ name, read: compute, isAbsentWhenNull: false }]
    const isAbsentWhenNull = member.notes.absentWhenNull === true
    return isShown(name, member) ? [{ name, read: (entity) => entity[name], isAbsentWhenNull }] : []
  })
  return (entity) => {
    const view: Record<string, unknown> = {}
    for (const { name, read, isAbsentWhenNull } of shown) {
      const value = read(entity as Values)
      if (value !== null || !isAbsentWhenNull) view[name] = value
    }
    return view
  }
}

function isShown(name: string, { notes }: Field): boolean {
  return name !== 'tags' && !notes.writeOnly && !notes.createOnly
}
