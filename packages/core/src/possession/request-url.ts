const UNRESERVED = /[A-Za-z0-9._~-]/

/**
 * The form in which the `htu` of a proof and the URL of a request are compared (RFC 9449 section 4.3): without query and fragment, scheme and host in
 * lower case, without the default port, percent-encoding as RFC 3986 section 6.2.2 normalizes it. Undefined for what is no URL, or has credentials.
 */
export function comparableUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { origin, pathname, username, password } = new URL(text)
  // The origin of a scheme without hosts is "null".
  if (origin === 'null' || username !== '' || password !== '') return undefined
  return origin + pathname.replace(/%[0-9A-Fa-f]{2}/g, normalized)
}

function normalized(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
  return UNRESERVED.test(character) ? character : encoded.toUpperCase()
}
