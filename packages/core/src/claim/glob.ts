/** Whether a text matches a pattern. */
export type GlobMatcher = (text: string) => boolean

/** Longer texts match no pattern: comparing them takes milliseconds. */
export const MAX_GLOB_TEXT_LENGTH = 1_024
const ANY_RUN = '*'
const ANY_ONE = '?'

/**
 * The matcher of a pattern: `*` stands for any run of characters, also an empty one, `?` for exactly one, and nothing else is special. The whole
 * text must match, and have at most 1,024 characters. It is built at its first use: most patterns of an organization are only read.
 */
export function globMatcher(pattern: string): GlobMatcher {
  let matches: GlobMatcher | undefined
  return (text) => {
    if (text.length > MAX_GLOB_TEXT_LENGTH) return false
    matches ??= withPrefix(pattern)
    return matches(text)
  }
}

/** Most texts differ in the first characters, and most patterns have one wildcard, at their end. */
function withPrefix(pattern: string): GlobMatcher {
  const prefix = literalPrefix(pattern)
  if (pattern === `${prefix}${ANY_RUN}`) return (text) => text.startsWith(prefix)
  const matches = buildMatcher(pattern)
  return (text) => text.startsWith(prefix) && matches(text)
}

/** The time is linear in the length of the text: bit `n` of `state` says whether the first `n` elements of the pattern match the characters read so far. */
function buildMatcher(pattern: string): GlobMatcher {
  const byCharacter = new Map<string, bigint>()
  /** The elements that match every character. */
  let anyOne = 0n
  /** The states that a character does not leave, because a `*` follows. */
  let anyRun = 0n
  let end = 1n
  for (const character of pattern) {
    if (character === ANY_RUN) {
      anyRun |= end
      continue
    }
    end <<= 1n
    if (character === ANY_ONE) anyOne |= end
    else byCharacter.set(character, (byCharacter.get(character) ?? 0n) | end)
  }
  return (text) => {
    let state = 1n
    for (const character of text) {
      state = ((state << 1n) & ((byCharacter.get(character) ?? 0n) | anyOne)) | (state & anyRun)
      if (state === 0n) return false
    }
    return (state & end) !== 0n
  }
}

/** The text before the first wildcard of a pattern, with which every match begins. */
export function literalPrefix(pattern: string): string {
  const at = pattern.search(/[*?]/)
  return at < 0 ? pattern : pattern.slice(0, at)
}
