import type { KeyObject } from 'node:crypto'
import { thumbprintOf } from '@countersign/core'
import type { SignerKeyKeeper } from '../keyset/signer-keys.ts'
import type { SignerDirectory } from './signer-directory.ts'

/** More signers than this are not compared: nobody could wait for it. */
const MAX_SIGNERS = 1000

/** Whether a public key is one of a signer's, as far as they are known now. */
export type IsSignerKey = (publicKey: KeyObject) => Promise<boolean>

export function createSignerKeyCheck(directory: SignerDirectory, keys: SignerKeyKeeper): IsSignerKey {
  return async (publicKey) => {
    const thumbprint = thumbprintOf(publicKey)
    const signers = (await directory.all()).slice(0, MAX_SIGNERS)
    return signers.some((signer) => [...keys.keysOf(signer).values()].some((key) => key.thumbprint === thumbprint))
  }
}
