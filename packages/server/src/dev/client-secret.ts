import { hash, timingSafeEqual } from 'node:crypto'

const PREFIX = 'sha256:'

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
