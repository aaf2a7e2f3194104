interface Choice {
  readonly value: string
  readonly label: string
}

/** What can be chosen, and beside it what is chosen already although nobody here knows its name: by its id. */
export function withChosen(offered: readonly Choice[], chosen: readonly string[]): Choice[] {
  const known = new Set(offered.map(({ value }) => value))
  const unknown = chosen.filter((id) => id !== '' && !known.has(id))
  return [...offered, ...unknown.map((id) => ({ value: id, label: id }))]
}
