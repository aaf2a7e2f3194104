import { totpCode, totpStep } from '@countersign/core'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The secret in a provisioning URL, as an app for one-time codes reads it. */
export function readProvisioningSecret(url: string): Buffer {
  let bits = ''
  for (const letter of new URL(url).searchParams.get('secret') ?? '') {
    bits += ALPHABET.indexOf(letter).toString(2).padStart(5, '0')
  }
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code that the app shows now for the account of a provisioning URL. */
export function currentOneTimeCode(url: string): string {
  return totpCode(readProvisioningSecret(url), totpStep(Date.now()))
}
