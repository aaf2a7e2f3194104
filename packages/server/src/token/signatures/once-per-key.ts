import type { CheckSignature } from '@countersign/core'

/** For the signers of one token: checks its signature once for each key, however many of them have that key. */
export function oncePerKey(check: CheckSignature): CheckSignature {
  const results = new Map<string, ReturnType<CheckSignature>>()
  return (signature) => {
    const known = results.get(signature.thumbprint)
    if (known !== undefined) return known
    const result = check(signature)
    results.set(signature.thumbprint, result)
    return result
  }
}
