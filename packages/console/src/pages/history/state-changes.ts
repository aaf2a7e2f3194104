/** A member that a change set, with its value before and after as text; undefined where it did not exist. */
export interface MemberChange {
  readonly name: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Members that every change sets, or that follow from others. */
const UNINTERESTING: ReadonlySet<string> = new Set(['updatedAt', 'revision'])

/** The members that differ between two states of an entity, by their path. */
export function findChanges(before: unknown, after: unknown): MemberChange[] {
  const [old, next] = [flatten(before), flatten(after)]
  const names = [...new Set([...old.keys(), ...next.keys()])].toSorted()
  return names.flatMap((name) => {
    const [was, is] = [old.get(name), next.get(name)]
    return was === is || UNINTERESTING.has(name) ? [] : [{ name, before: was, after: is }]
  })
}

function flatten(state: unknown, path = ''): Map<string, string> {
  if (!isObject(state)) return new Map()
  return new Map(
    Object.entries(state).flatMap(([name, value]): [string, string][] => {
      const inner = `${path}${name}`
      if (isObject(value) && Object.keys(value).length > 0) return [...flatten(value, `${inner}.`)]
      return [[inner, typeof value === 'string' ? value : JSON.stringify(value)]]
    }),
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
