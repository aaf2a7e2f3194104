import { parseKeySet, type Signer, type SignerInput } from '@countersign/sdk'

/** Where the keys of a signer come from, in the order of the form. */
export const KEY_SOURCES = [
  { value: 'jwks', label: 'Keys from the issuer (JWKS)', short: 'JWKS' },
  { value: 'certificate', label: 'Certificate', short: 'Certificate' },
  { value: 'certificates', label: 'Several certificates', short: 'Certificates' },
  { value: 'keys', label: 'Key set or public key', short: 'Key set' },
  { value: 'pushed', label: 'Pushed keys', short: 'Pushed' },
] as const

export type KeySourceName = (typeof KEY_SOURCES)[number]['value']

type Sources = Pick<Signer, 'certPem' | 'jwks' | 'certPems' | 'pushedKeys'>

export function keySourceOf({ certPem, jwks, certPems, pushedKeys }: Partial<Sources>): KeySourceName {
  if (certPem) return 'certificate'
  if (certPems) return 'certificates'
  if (jwks) return 'keys'
  return pushedKeys ? 'pushed' : 'jwks'
}

/** For lists. */
export function shortKeySource(signer: Partial<Sources>): string {
  const name = keySourceOf(signer)
  return KEY_SOURCES.find(({ value }) => value === name)?.short ?? name
}

const DEFAULT_MAX_AGE_SECONDS = 3600

/** The form's texts of the sources that the API has as objects and lists. */
export type KeySourceValues = {
  source: KeySourceName
  /** A key set as JSON. */
  jwks: string
  /** The certificates after each other. */
  certPems: string
  /** `maxAgeSeconds`. */
  pushedKeys: number | ''
  /** A new credential; empty keeps the stored one. */
  jwksAuthorization: string
  removesAuthorization: boolean
}

export function toKeySourceValues(signer: Partial<Sources> = {}): KeySourceValues {
  return {
    source: keySourceOf(signer),
    jwks: signer.jwks ? JSON.stringify(signer.jwks, null, 2) : '',
    certPems: (signer.certPems ?? []).map((pem) => `${pem.trim()}\n`).join(''),
    pushedKeys: signer.pushedKeys?.maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS,
    jwksAuthorization: '',
    removesAuthorization: false,
  }
}

type KeySourceBody = Pick<SignerInput, 'jwks' | 'certPems' | 'pushedKeys' | 'jwksAuthorization'>

export function toKeySourceBody(values: KeySourceValues): KeySourceBody {
  const { source, jwks, certPems, pushedKeys, jwksAuthorization, removesAuthorization } = values
  return {
    jwks: source === 'keys' ? (parseKeySet(jwks) ?? null) : null,
    certPems: source === 'certificates' ? splitPems(certPems) : null,
    pushedKeys: source === 'pushed' ? { maxAgeSeconds: Number(pushedKeys) } : null,
    ...(source === 'jwks' && removesAuthorization && { jwksAuthorization: null }),
    ...(source === 'jwks' && jwksAuthorization !== '' && { jwksAuthorization }),
  }
}

const BLOCK = /-----BEGIN ([A-Z ]+)-----[\s\S]*?-----END \1-----/g

/** The PEM blocks of a text, one text each. */
export function splitPems(text: string): string[] {
  return (text.match(BLOCK) ?? []).map((pem) => `${pem}\n`)
}

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const DISCLOSED = 'This contains a private key. Paste public keys only.'

/** The rules of the form for the sources. The server applies the rules for the keys themselves. */
export const KEY_SOURCE_RULES = {
  jwks: (text: string, { source }: KeySourceValues): string | null => {
    if (source !== 'keys') return null
    if (text.includes('PRIVATE KEY')) return DISCLOSED
    const keySet = parseKeySet(text)
    if (!keySet) return 'Paste a key set as JSON, {"keys": […]}, or public keys in PEM'
    const isPrivate = keySet.keys.some((key) => PRIVATE_MEMBERS.some((name) => name in key))
    return isPrivate ? DISCLOSED : null
  },
  certPems: (text: string, { source }: KeySourceValues): string | null => {
    if (source !== 'certificates') return null
    if (text.includes('PRIVATE KEY')) return 'This contains a private key. Paste the certificates only.'
    return splitPems(text).length > 0 ? null : 'Paste certificates that begin with -----BEGIN CERTIFICATE-----'
  },
  pushedKeys: (seconds: number | '', { source }: KeySourceValues): string | null =>
    source !== 'pushed' || (seconds !== '' && seconds >= 300 && seconds <= 2_592_000)
      ? null
      : 'From 300 seconds to 30 days',
}
