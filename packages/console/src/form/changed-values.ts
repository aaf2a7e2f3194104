/** Of the values of a form those that differ from what was there: somebody else may have changed the rest meanwhile. */
export function changedValues<Values extends Record<string, unknown>>(before: Values, after: Values): Partial<Values> {
  const changed = Object.entries(after).filter(([name, value]) => value !== before[name])
  return Object.fromEntries(changed) as Partial<Values>
}
