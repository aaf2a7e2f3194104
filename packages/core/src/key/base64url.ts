/**
 * Decodes canonical base64url (RFC 7515 section 2): no padding, no white space, no character outside the alphabet, unused bits zero.
 * Returns undefined for any other encoding, so that each value has exactly one text.
 */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
