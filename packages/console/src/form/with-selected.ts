interface Option {
  readonly value: string
  readonly label: string
}

/** Adds selected ids that are not among the options, labelled by their id. */
export function withSelected(options: readonly Option[], selected: readonly string[]): Option[] {
  const known = new Set(options.map(({ value }) => value))
  const unknown = selected.filter((id) => id !== '' && !known.has(id))
  return [...options, ...unknown.map((id) => ({ value: id, label: id }))]
}
