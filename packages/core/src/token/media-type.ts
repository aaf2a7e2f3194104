/** The media type of a `typ` or `cty`, by RFC 7515 section 4.1.9: case-insensitive, and `application/` may be omitted. */
export function mediaType(value: unknown): string {
  const type = typeof value === 'string' ? value.toLowerCase() : ''
  return type.startsWith('application/') ? type.slice('application/'.length) : type
}
