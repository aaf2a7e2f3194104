/** The form values that differ from the initial ones. Sending only these keeps concurrent changes to the others. */
export function changedValues<Values extends Record<string, unknown>>(before: Values, after: Values): Partial<Values> {
  const changed = Object.entries(after).filter(([name, value]) => !isSame(value, before[name]))
  return Object.fromEntries(changed) as Partial<Values>
}

/** Form values are JSON. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
