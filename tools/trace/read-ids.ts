const looksLikeId = /^(?:[A-Z]\d?-\d|D\d+$)/
const curves = new Set(['P-256', 'P-384', 'P-521'])

/**
 * Reads the ids a test title begins with: `H-03 H-09 refuses …`. A field of a seed table may be written with a space:
 * `S1-2.1 kid …` is `S1-2.1.kid`. Words that look like an id and are not known are returned as `unknown`.
 */
export function readIds(title: string, known: ReadonlySet<string>): { ids: string[]; unknown: string[] } {
  const words = title.split(' ').map((word) => word.replace(/[:,]$/, ''))
  const ids: string[] = []
  const unknown: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (!looksLikeId.test(word) || curves.has(word)) break
    const field = `${word}.${words[at + 1]}`
    if (known.has(field)) {
      ids.push(field)
      at++
    } else if (known.has(word)) ids.push(word)
    else unknown.push(word)
  }
  return { ids, unknown }
}
