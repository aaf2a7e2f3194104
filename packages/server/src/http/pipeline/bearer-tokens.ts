/** How tokens are sent in `Authorization`: as they are (RFC 6750), or with a proof of possession (RFC 9449). */
type Scheme = 'bearer' | 'dpop'

const EITHER: readonly Scheme[] = ['bearer', 'dpop']

/**
 * The tokens of all `Authorization: Bearer` and `Authorization: DPoP` lines, in order; Node's merged headers keep only the first line. Whether a token needs a proof
 * is decided when it is verified.
 */
export function bearerTokens(rawHeaders: readonly string[]): string[] {
  return readTokens(rawHeaders, EITHER)
}

/** The tokens of all lines with this scheme. */
export function authorizationTokens(rawHeaders: readonly string[], scheme: Scheme): string[] {
  return readTokens(rawHeaders, [scheme])
}

function readTokens(rawHeaders: readonly string[], schemes: readonly Scheme[]): string[] {
  const tokens: string[] = []
  for (const value of headerLines(rawHeaders, 'authorization')) {
    for (const scheme of schemes) {
      const end = scheme.length + 1
      if (value.slice(0, end).toLowerCase() === `${scheme} `) tokens.push(value.slice(end))
    }
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
