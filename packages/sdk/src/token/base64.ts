/** Base64 of bytes, or of a text in UTF-8. */
export function toBase64(value: string | Uint8Array): string {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Base64url without padding. */
export function toBase64Url(value: string | Uint8Array): string {
  return toBase64(value).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The unverified claims of a JWT; undefined for other tokens. Never base a security decision on them. */
export function readClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload = ''] = token.split('.')
  try {
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const text = new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)))
    const claims: unknown = JSON.parse(text)
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
