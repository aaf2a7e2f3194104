import { scimError } from './scim-error.ts'

export type ScimToken =
  | { readonly kind: '(' | ')' | '[' | ']' }
  | { readonly kind: 'word' | 'string'; readonly text: string }

/** Sticky: each token begins where the one before ended. Every alternative is linear. */
const TOKEN = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y
const BRACKETS = new Set(['(', ')', '[', ']'])

/** Splits a filter or a path. Fails with the keyword `invalidFilter`. */
export function lexScim(text: string): ScimToken[] {
  const trimmed = text.trim()
  const tokens: ScimToken[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < trimmed.length) {
    const [, bracket, string, word] = TOKEN.exec(trimmed) ?? []
    if (bracket !== undefined && BRACKETS.has(bracket)) tokens.push({ kind: bracket as '(' })
    else if (string !== undefined) tokens.push({ kind: 'string', text: unquote(string) })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else throw scimError('invalidFilter', 'the filter is not valid')
  }
  return tokens
}

/** Strings are those of JSON, without the null character: no stored text contains one, and PostgreSQL rejects it. */
function unquote(text: string): string {
  const string = parseString(text)
  if (string === undefined || string.includes('\0'))
    throw scimError('invalidFilter', 'a string of the filter is not valid')
  return string
}

function parseString(text: string): string | undefined {
  try {
    return JSON.parse(text) as string
  } catch {
    return undefined
  }
}
