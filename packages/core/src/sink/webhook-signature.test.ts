import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import { checkWebhookSecret, webhookHeaders, webhookKey } from './webhook-signature.ts'

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`

test('a secret is whsec_ and base64 of 24 to 64 bytes', () => {
  for (const bytes of [24, 32, 64]) checkWebhookSecret(secretOf(bytes))
  const unpadded = secretOf(32).replace('=', '')
  const refused = [
    secretOf(23),
    secretOf(65),
    secretOf(32).slice(6),
    'whsec_',
    'whsec_***',
    unpadded,
    `${secretOf(32)}\n`,
  ]
  for (const secret of refused) {
    assert.throws(
      () => checkWebhookSecret(secret),
      (error) => error instanceof AppError && !error.message.includes(secret.slice(6, 20) || 'none'),
      secret,
    )
  }
})

test('signs like the example of Standard Webhooks', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: 1_614_265_330_999, body: '{"test": 2432232314}' }
  assert.deepEqual(webhookHeaders(message, [webhookKey(secret)]), {
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('has a signature for each secret of a rotation, and none without a secret', () => {
  const message = { id: 'a', at: 0, body: '{}' }
  const both = webhookHeaders(message, [webhookKey(secretOf(32)), webhookKey(secretOf(24))])['webhook-signature']
  assert.match(both ?? '', /^v1,\S+ v1,\S+$/)
  assert.equal(both?.split(' ')[0], webhookHeaders(message, [webhookKey(secretOf(32))])['webhook-signature'])
  assert.equal('webhook-signature' in webhookHeaders(message, []), false)
})
