import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { fieldError } from '../app-error.ts'

const PREFIX = 'whsec_'
const MIN_BYTES = 24
const MAX_BYTES = 64
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Throws when a text is not the secret of a webhook: `whsec_` and base64 of 24 to 64 bytes. The error does not repeat it. */
export function checkWebhookSecret(secret: string): void {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : ''
  const bytes = BASE64.test(encoded) ? Buffer.from(encoded, 'base64').length : 0
  if (bytes >= MIN_BYTES && bytes <= MAX_BYTES) return
  throw fieldError('secret', `secret is "${PREFIX}" and base64 of ${MIN_BYTES} to ${MAX_BYTES} bytes`, '')
}

export interface SignedMessage {
  /** The same for every delivery of an event. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly body: string
}

/** The key of a secret. Signing with it costs a fifth of signing with its bytes. */
export function webhookKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(PREFIX.length), 'base64')
}

/**
 * The headers of Standard Webhooks. During a rotation there are two keys, and a signature with each; without a key there is no signature.
 */
export function webhookHeaders({ id, at, body }: SignedMessage, keys: readonly KeyObject[]): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  const signatures = keys.map((key) => {
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  }
}
