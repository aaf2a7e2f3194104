import { hash, randomInt, timingSafeEqual } from 'node:crypto'

const PREFIX = 'sha256:'
/** Only letters and digits: clients and providers percent-encode other characters in secrets differently. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const CLIENT_ID_LENGTH = 26
const SECRET_LENGTH = 52

export const newClientId = (): string => randomText(CLIENT_ID_LENGTH)
export const newClientSecret = (): string => randomText(SECRET_LENGTH)

/** Returns the stored form of a client secret. Secrets are random, so a plain digest reveals nothing. */
export function digestOfSecret(secret: string): string {
  return secret.startsWith(PREFIX) ? secret : PREFIX + hash('sha256', secret, 'hex')
}

/** Whether `secret` matches `known`, which is the secret or its digest; undefined for an unknown client. */
export function isSecretOf(known: string | undefined, secret: string): boolean {
  if (secret.startsWith(PREFIX)) return false
  const same = timingSafeEqual(Buffer.from(digestOfSecret(known ?? '')), Buffer.from(digestOfSecret(secret)))
  return same && known !== undefined && known !== ''
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}
