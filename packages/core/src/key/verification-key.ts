import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Algorithm } from './algorithms.ts'

type Options = NonNullable<Algorithm['options']>

const keysWithOptions = new WeakMap<KeyObject, Map<Options, KeyObject>>()

/**
 * Returns the key in the form that `crypto.verify` handles fastest. A `{ key, ...options }` object makes the call five times as expensive for the
 * calling thread, because Node detects it by an exception. So the options are set on a copy of the key.
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
