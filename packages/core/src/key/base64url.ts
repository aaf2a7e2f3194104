/**
 * The bytes of canonical base64url text (RFC 7515 section 2): no padding, no white space, no character outside the alphabet, unused
 * bits zero. Answers undefined for any other spelling, so that one value has one text.
 */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
