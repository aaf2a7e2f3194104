const SCHEME = 'bearer '

/** The tokens of all `Authorization: Bearer` lines, in order; Node's merged headers keep only the first line. */
export function bearerTokens(rawHeaders: readonly string[]): string[] {
  const tokens: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'authorization') continue
    const value = rawHeaders[index + 1]?.trim() ?? ''
    if (value.slice(0, SCHEME.length).toLowerCase() === SCHEME) tokens.push(value.slice(SCHEME.length))
  }
  return tokens
}
