const SCHEME = 'bearer '

/** The tokens of all `Authorization: Bearer` lines, in order; Node's merged headers keep only the first line. */
export function bearerTokens(rawHeaders: readonly string[]): string[] {
  const tokens: string[] = []
  for (const value of headerLines(rawHeaders, 'authorization')) {
    if (value.slice(0, SCHEME.length).toLowerCase() === SCHEME) tokens.push(value.slice(SCHEME.length))
  }
  return tokens
}

/** The values of all lines of a header, by its name in lower case. */
export function headerLines(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1]?.trim() ?? '')
  }
  return values
}
