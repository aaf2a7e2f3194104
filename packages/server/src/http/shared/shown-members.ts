import { fieldsOf, isGroup, type Members } from '@countersign/contract/resource'

type Values = Readonly<Record<string, unknown>>

/** A view that is written out, for its speed or because existing clients know other names, must hold every setting all the same. */
export type Shown<Settings> = Readonly<Record<string, unknown>> & Readonly<Record<keyof Settings, unknown>>

/**
 * The members of a resource as answers have them, in the contract's order. `computed` makes those that are no settings; tags stand with what
 * every resource has, and are not among them.
 */
export function shownMembers<Thing extends object>(
  members: Members,
  thing: Thing,
  computed: Readonly<Record<string, (thing: Thing) => unknown>> = {},
): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [name, member] of fieldsOf(members)) {
    const value = (thing as Values)[name]
    if (isGroup(member)) shown[name] = shownMembers(member.members, value as object)
    else if (name in computed) shown[name] = computed[name]?.(thing)
    else if (isShown(name, member.notes, value)) shown[name] = value
  }
  return shown
}

interface ShownNotes {
  readonly writeOnly?: true
  readonly createOnly?: true
  readonly absentWhenNull?: true
}

function isShown(name: string, { writeOnly, createOnly, absentWhenNull }: ShownNotes, value: unknown): boolean {
  return name !== 'tags' && !writeOnly && !createOnly && !(absentWhenNull && value === null)
}
