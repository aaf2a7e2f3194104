import type { SignerKey, SignerKeys } from './signer-key.ts'

/** The keys that may be used when `thumbprints` are pinned, and those that are ignored. Without pins, all keys may be used. */
export function pinnedKeys(
  keys: SignerKeys,
  thumbprints: readonly string[],
): { readonly used: SignerKeys; readonly ignored: readonly SignerKey[] } {
  if (thumbprints.length === 0) return { used: keys, ignored: [] }
  const pinned = new Set(thumbprints)
  const isPinned = ({ thumbprint }: SignerKey): boolean => pinned.has(thumbprint)
  return {
    used: new Map([...keys].filter(([, key]) => isPinned(key))),
    ignored: [...keys.values()].filter((key) => !isPinned(key)),
  }
}

/** Whether every key is pinned. */
export function areAllPinned(keys: SignerKeys, thumbprints: readonly string[]): boolean {
  return thumbprints.length > 0 && pinnedKeys(keys, thumbprints).ignored.length === 0
}

/**
 * Whether a fetched set continues the last good one: they share a key. The first set has nothing to continue, and an empty set, which accepts no
 * token, needs no confirmation.
 */
export function continuesKeys(fetched: readonly string[], lastGood: readonly string[]): boolean {
  return fetched.length === 0 || lastGood.length === 0 || fetched.some((thumbprint) => lastGood.includes(thumbprint))
}

/** The thumbprints of the keys, each once, in alphabetical order. */
export function thumbprintsOf(keys: SignerKeys): string[] {
  return [...new Set([...keys.values()].map(({ thumbprint }) => thumbprint))].toSorted()
}

/** The keys, usable until an instant in milliseconds. The prepared key objects stay the same. */
export function keysUntil(keys: SignerKeys, staleAtMs: number): SignerKeys {
  return new Map([...keys].map(([kid, key]) => [kid, { ...key, staleAtMs }]))
}
