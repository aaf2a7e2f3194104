/** Names are compared without regard to letter case and Unicode compatibility forms, as existing clients do. */
export function foldName(name: string): string {
  return name.normalize('NFKD').toLowerCase()
}

/** Returns a test for names: the pattern is a whole name, or has `%` in places of any text. Each test takes linear time. */
export function nameMatcher(pattern: string): (name: string) => boolean {
  const [first = '', ...rest] = foldName(pattern).split('%')
  const last = rest.pop()
  return (name) => {
    const text = foldName(name)
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
}
