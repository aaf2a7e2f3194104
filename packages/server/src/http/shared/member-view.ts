import { type Field, isGroup, type Members } from '@countersign/contract/resource'

/** A view that is written out, for its speed or because existing clients know other names, must hold every setting all the same. */
export type Shown<Settings> = Readonly<Record<string, unknown>> & Readonly<Record<keyof Settings, unknown>>

type Values = Readonly<Record<string, unknown>>

interface ShownMember {
  readonly name: string
  read(thing: Values): unknown
  readonly isAbsentWhenNull: boolean
}

/**
 * A function that shows the members of a resource as answers have them, in the contract's order. `computed` makes those that are no settings;
 * tags stand with what every resource has, and are not among them.
 */
export function createMemberView<Thing extends object>(
  members: Members,
  computed: Readonly<Record<string, (thing: Thing) => unknown>> = {},
): (thing: Thing) => Record<string, unknown> {
  const shown = Object.entries(members).flatMap(([name, member]): ShownMember[] => {
    if (isGroup(member)) {
      const view = createMemberView<object>(member.members)
      return [{ name, read: (thing) => view(thing[name] as object), isAbsentWhenNull: false }]
    }
    const compute = computed[name] as ShownMember['read'] | undefined
    if (compute) return [{ name, read: compute, isAbsentWhenNull: false }]
    const isAbsentWhenNull = member.notes.absentWhenNull === true
    return isShown(name, member) ? [{ name, read: (thing) => thing[name], isAbsentWhenNull }] : []
  })
  return (thing) => {
    const view: Record<string, unknown> = {}
    for (const { name, read, isAbsentWhenNull } of shown) {
      const value = read(thing as Values)
      if (value !== null || !isAbsentWhenNull) view[name] = value
    }
    return view
  }
}

function isShown(name: string, { notes }: Field): boolean {
  return name !== 'tags' && !notes.writeOnly && !notes.createOnly
}
