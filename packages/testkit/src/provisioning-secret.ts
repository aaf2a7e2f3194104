import { totpCode, totpStep } from '@countersign/core'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Reads the secret from a provisioning URL, as an authenticator app does. */
export function readProvisioningSecret(url: string): Buffer {
  let bits = ''
  for (const letter of new URL(url).searchParams.get('secret') ?? '') {
    bits += ALPHABET.indexOf(letter).toString(2).padStart(5, '0')
  }
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** Returns the code that an authenticator app shows now for a provisioning URL. */
export function currentOneTimeCode(url: string): string {
  return totpCode(readProvisioningSecret(url), totpStep(Date.now()))
}
