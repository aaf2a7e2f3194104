import { implicitTag } from './der-writer.ts'
import { findIpOctets } from './ip-address.ts'

/** A subject alternative name. */
export type AltName =
  | { readonly type: 'dns'; readonly name: string }
  | { readonly type: 'ip'; readonly octets: Buffer }
  | { readonly type: 'uri'; readonly uri: string }

const DNS_TAG = 2
const URI_TAG = 6
const IP_TAG = 7
const MAX_DNS_CHARACTERS = 253

/** Parses an IP address or a DNS name, which is lower-cased. Undefined when the text is neither. */
export function findHostAltName(host: string): AltName | undefined {
  const octets = findIpOctets(host)
  if (octets) return { type: 'ip', octets }
  const name = host.toLowerCase()
  return isDnsName(name) ? { type: 'dns', name } : undefined
}

/** One GeneralName of RFC 5280 section 4.2.1.6. */
export function buildAltName(altName: AltName): Buffer {
  switch (altName.type) {
    case 'dns':
      return implicitTag(DNS_TAG, Buffer.from(altName.name, 'ascii'))
    case 'uri':
      return implicitTag(URI_TAG, Buffer.from(altName.uri, 'ascii'))
    case 'ip':
      return implicitTag(IP_TAG, altName.octets)
  }
}

/** `spiffe://<trust domain>/<path>`, every segment percent-encoded outside `[A-Za-z0-9._-]`. */
export function buildSpiffeUri(trustDomain: string, ...segments: readonly string[]): AltName {
  if (!/^[a-z0-9._-]{1,255}$/.test(trustDomain)) throw new TypeError('the trust domain is not valid')
  return { type: 'uri', uri: ['spiffe:/', trustDomain, ...segments.map(encodeSegment)].join('/') }
}

function encodeSegment(segment: string): string {
  if (/^[A-Za-z0-9._-]*$/.test(segment)) return segment
  let encoded = ''
  for (const byte of Buffer.from(segment, 'utf8')) {
    const character = String.fromCharCode(byte)
    encoded += /[A-Za-z0-9._-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}

/** Labels of letters, digits, hyphens and underscores. The last label must not be all digits: that is a mistyped IPv4 address. */
function isDnsName(name: string): boolean {
  const isEveryLabelValid = name.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
  return name.length <= MAX_DNS_CHARACTERS && isEveryLabelValid && !/(^|\.)\d+$/.test(name)
}
