import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Algorithm } from './algorithms.ts'

type Options = NonNullable<Algorithm['options']>

const keysWithOptions = new WeakMap<KeyObject, Map<Options, KeyObject>>()

/**
 * The key in the form that `crypto.verify` takes fastest. Options in an object beside the key make the call five times as expensive for the calling
 * thread (it finds out by an exception that the object itself is no key), so a copy of the key carries them.
 */
export function verificationKey(key: KeyObject, options: Options | undefined): KeyObject {
  if (options === undefined) return key
  const copies = keysWithOptions.get(key) ?? new Map<Options, KeyObject>()
  keysWithOptions.set(key, copies)
  const known = copies.get(options)
  if (known) return known
  const spki = key.export({ format: 'der', type: 'spki' })
  const copy = Object.assign(createPublicKey({ key: spki, format: 'der', type: 'spki' }), options)
  copies.set(options, copy)
  return copy
}
