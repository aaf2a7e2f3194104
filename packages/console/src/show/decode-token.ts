/** The header and the claims of a token, as they are: nothing is verified. */
export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** Decodes the text of a token in the browser. Undefined when it has no readable header and claims. */
export function decodeToken(text: string): DecodedToken | undefined {
  const parts = text
    .trim()
    .replace(/^Bearer\s+/i, '')
    .split('.')
  const [header, claims] = parts.slice(0, 2).map(decodePart)
  return parts.length === 3 && header && claims ? { header, claims } : undefined
}

function decodePart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}

/** Claims whose value is a time in seconds (RFC 7519 and OpenID Connect). */
const TIMES = new Set(['exp', 'nbf', 'iat', 'auth_time', 'updated_at'])
const MAX_SECONDS = 8.64e12

/** The time of such a claim, undefined for other claims and values. */
export function instantOfClaim(name: string, value: unknown): string | undefined {
  if (!TIMES.has(name) || typeof value !== 'number' || Math.abs(value) > MAX_SECONDS) return undefined
  return new Date(value * 1000).toISOString()
}
