/** A pasted text without the characters that are often copied along with a token, and the names of what was removed. */
export interface StrippedText {
  readonly text: string
  readonly removed: readonly string[]
}

type Removal = readonly [words: string, remove: (text: string) => string]

const QUOTES = ['"', "'", '`', '“', '”', '‘', '’']
const HEADER_NAME = 'authorization:'
const SCHEME = 'bearer'

const REMOVALS: readonly Removal[] = [
  ['white space around it', (text) => text.trim()],
  ['quotes', withoutQuotes],
  ['the name of the header', (text) => withoutStart(text, HEADER_NAME)],
  ['the word "Bearer"', (text) => withoutStart(text, SCHEME)],
  ['line breaks or spaces', (text) => text.split(/\s/).join('')],
  ['quotes', withoutQuotes],
]

export function stripPaste(pasted: string): StrippedText {
  let text = pasted
  const removed = new Set<string>()
  for (const [words, remove] of REMOVALS) {
    const shorter = remove(text)
    if (shorter !== text) removed.add(words)
    text = shorter
  }
  return { text, removed: [...removed] }
}

/** Removes a whole word only: a token may begin with the same letters. */
function withoutStart(text: string, start: string): string {
  const rest = text.slice(start.length)
  const isWord =
    text.slice(0, start.length).toLowerCase() === start && (start.endsWith(':') || rest.trimStart() !== rest)
  return isWord || text.toLowerCase() === start ? rest.trimStart() : text
}

function withoutQuotes(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && QUOTES.includes(text[start] ?? '')) start += 1
  while (end > start && QUOTES.includes(text[end - 1] ?? '')) end -= 1
  return text.slice(start, end)
}
