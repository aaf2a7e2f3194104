/** Names are compared without regard to letter case and Unicode compatibility forms, as existing clients do. */
export function foldName(name: string): string {
  return name.normalize('NFKD').toLowerCase()
}

/** Whether a name matches `findByName`: a whole name, or a pattern in which each `%` stands for any text. Linear time. */
export function matchesName(pattern: string, name: string): boolean {
  const [first = '', ...rest] = foldName(pattern).split('%')
  const text = foldName(name)
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
