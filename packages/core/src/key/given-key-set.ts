import type { SignerSettings } from '@countersign/contract/ext-jwt-signer'
import { fieldError } from '../app-error.ts'
import type { JsonValue } from '../json/json-value.ts'
import { type KeySet, KeySetError, readKeySet } from './key-set.ts'

type GivenKeys = NonNullable<SignerSettings['jwks']>

const MAX_CHARACTERS = 65_536

/**
 * Reads a key set that an administrator or a client gives, by the rules for a fetched one: unusable entries are ignored with a warning. Unlike a
 * fetched set, it is refused when it has a secret, or no usable key. Throws COULD_NOT_VALIDATE for `field`, and repeats nothing of the set.
 */
export function readGivenKeySet(field: string, jwks: GivenKeys): KeySet {
  const refuse = (reason: string) => fieldError(field, `${field} ${reason}`, '')
  if (JSON.stringify(jwks).length > MAX_CHARACTERS) throw refuse(`is longer than ${MAX_CHARACTERS} characters`)
  const keySet = read(jwks, refuse)
  if (keySet.exposesSecrets) {
    throw refuse(
      'contains a private or symmetric key; give public keys only, and replace the key, which is now disclosed',
    )
  }
  if (keySet.keys.size > 0) return keySet
  const [reason = 'it has no key for signatures'] = [...keySet.warnings, ...keySet.notForSignatures]
  throw refuse(`has no usable key: ${reason}`)
}

function read(jwks: GivenKeys, refuse: (reason: string) => Error): KeySet {
  try {
    return readKeySet(jwks as unknown as JsonValue)
  } catch (error) {
    throw error instanceof KeySetError ? refuse(`is refused: ${error.message}`) : error
  }
}
