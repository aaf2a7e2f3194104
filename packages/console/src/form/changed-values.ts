/** The form values that differ from the initial ones. Sending only these keeps concurrent changes to the others. */
export function changedValues<Values extends Record<string, unknown>>(before: Values, after: Values): Partial<Values> {
  const changed = Object.entries(after).filter(([name, value]) => value !== before[name])
  return Object.fromEntries(changed) as Partial<Values>
}
