import { hash, timingSafeEqual } from 'node:crypto'

const PREFIX = 'sha256:'

/** How a client's secret is kept: the secrets are random, so that a plain digest gives nothing away. */
export function digestOfSecret(secret: string): string {
  return secret.startsWith(PREFIX) ? secret : PREFIX + hash('sha256', secret, 'hex')
}

/** Whether a secret is the one that was handed out; `known` is it or its digest, or undefined for a client nobody knows. */
export function isSecretOf(known: string | undefined, secret: string): boolean {
  if (secret.startsWith(PREFIX)) return false
  const same = timingSafeEqual(Buffer.from(digestOfSecret(known ?? '')), Buffer.from(digestOfSecret(secret)))
  return same && known !== undefined && known !== ''
}
