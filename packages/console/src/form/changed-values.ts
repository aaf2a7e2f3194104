/** The values that differ from the initial ones. Sending only these keeps concurrent changes to the others, and writes no member unseen. */
export function changedValues<Values extends object>(before: Values, after: Values): Partial<Values> {
  const changed = Object.entries(after).filter(([name, value]) => !isSame(value, before[name as keyof Values]))
  return Object.fromEntries(changed) as Partial<Values>
}

/** The values are JSON. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
