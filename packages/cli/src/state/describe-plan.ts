import { printableLine, shortLine } from '../printable.ts'
import { isEmpty } from '../resources/pick-writable.ts'
import { describeRights } from './describe-rights.ts'
import type { Change } from './diff-members.ts'
import type { Step } from './plan.ts'

const MAX_VALUE = 64

/** The plan as data, for `-o json` and `-o yaml`. Values of secrets are left out. */
export function toPlanData(plan: readonly Step[]): object[] {
  return plan.map((step) => {
    const rights = Object.fromEntries(describeRights(step))
    return {
      action: step.action,
      kind: step.kind.singular,
      name: step.name,
      members: [...new Set(step.changes.map(({ path }) => path.split('.')[0]))],
      changes: step.changes.map(({ path, before, after, isSecret }) =>
        isSecret ? { member: path, secret: true } : { member: path, before, after },
      ),
      ...(Object.keys(rights).length > 0 && { rights }),
    }
  })
}

/** The lines below the heading of a step: each member with its old and new value. */
export function describeChanges(step: Step): string[] {
  const rights = describeRights(step)
  return step.changes.flatMap((change) => {
    const right = rights.get(change.path)
    return describeChange(step.action, change).map((line) => (right === undefined ? line : `${line} (${right})`))
  })
}

/** Objects are shown by member, so that a change in a long one can be seen. */
function describeChange(action: Step['action'], { path, before, after, isSecret }: Change): string[] {
  if (isSecret) return [`${path}: ${action === 'create' ? 'set' : isEmpty(after) ? 'removed' : 'changed'}`]
  if (isObject(before) || isObject(after)) {
    const [from, to] = [before, after].map((value) => (isObject(value) ? value : {}))
    const names = [...new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})])]
    return names.flatMap((name) => {
      const [old, next] = [from?.[name], to?.[name]]
      if (JSON.stringify(old) === JSON.stringify(next)) return []
      return describeChange(action, { path: `${path}.${printableLine(name)}`, before: old, after: next, isSecret })
    })
  }
  if (action === 'create') return [`${path}: ${show(after)}`]
  if (Array.isArray(before) && Array.isArray(after) && isLong(before, after))
    return [`${path}: ${describeList(before, after)}`]
  return [`${path}: ${show(before)} → ${show(after)}`]
}

function describeList(before: readonly unknown[], after: readonly unknown[]): string {
  const texts = (list: readonly unknown[]) => list.map((entry) => JSON.stringify(entry))
  const [old, next] = [texts(before), texts(after)]
  const added = next.filter((entry) => !old.includes(entry)).map((entry) => `+${shortLine(entry)}`)
  const removed = old.filter((entry) => !next.includes(entry)).map((entry) => `-${shortLine(entry)}`)
  return [...added, ...removed].join(', ') || 'in another order'
}

function isLong(...values: readonly unknown[]): boolean {
  return values.some((value) => JSON.stringify(value).length > MAX_VALUE)
}

function show(value: unknown): string {
  return value === undefined || value === null ? 'unset' : shortLine(JSON.stringify(value))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
