import type { KeyObject } from 'node:crypto'
import { thumbprintOf } from '@countersign/core'
import type { KeySets } from '../keyset/key-sets.ts'
import type { SignerDirectory } from './signer-directory.ts'

/** Bounds the time of one check. Further signers are not compared. */
const MAX_SIGNERS = 1000

/** Recognises the keys of signers, so that no client certificate is issued for one. */
export class SignerKeyCheck {
  readonly #directory: Pick<SignerDirectory, 'all'>
  readonly #keys: Pick<KeySets, 'keysOf'>

  constructor(directory: Pick<SignerDirectory, 'all'>, keys: Pick<KeySets, 'keysOf'>) {
    this.#directory = directory
    this.#keys = keys
  }

  /** Whether a public key is among the signer keys that are known now. */
  async isSignerKey(publicKey: KeyObject): Promise<boolean> {
    const thumbprint = thumbprintOf(publicKey)
    const signers = (await this.#directory.all()).slice(0, MAX_SIGNERS)
    return signers.some((signer) =>
      [...this.#keys.keysOf(signer).values()].some((key) => key.thumbprint === thumbprint),
    )
  }
}
