/** Base64 of bytes or of text in UTF-8. */
export function toBase64(value: string | Uint8Array): string {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Base64 as it stands in tokens and addresses. */
export function toBase64Url(value: string | Uint8Array): string {
  return toBase64(value).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The claims of a JWT, unverified: to know when it ends, never to decide anything by. */
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
