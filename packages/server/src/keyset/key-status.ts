import { instantText, type SignerKey, type SignerKeys } from '@countersign/core'
import type { ProviderFacts } from './provider-keys.ts'
import type { StaticKeySet } from './static-keys.ts'

/** A key, as returned by the management API. */
interface ShownKey {
  readonly kid: string
  readonly alg: string
  readonly thumbprint: string
}

/** The state of a signer's keys, as returned by the management API. */
export interface SignerKeyStatus {
  readonly source: 'certificate' | 'jwks' | 'static' | 'pushed'
  readonly keys: readonly ShownKey[]
  readonly lastSuccessAt: string | null
  readonly lastError: string | null
  readonly nextRefreshAt: string | null
  readonly stale: boolean
  readonly warnings: readonly string[]
  /** When pushed keys become stale. */
  readonly staleAt?: string | null
  /** Keys that are not used, because they are not pinned. */
  readonly ignoredKeys?: readonly ShownKey[]
  /** Fetched keys that wait for a confirmation. */
  readonly pendingKeys?: readonly ShownKey[]
}

const NEVER_FETCHED = { lastSuccessAt: null, lastError: null, nextRefreshAt: null, stale: false }

/** `isSet`: the keys are a key set, not certificates. */
export function staticStatus({ keys, refusals }: StaticKeySet, isSet: boolean): SignerKeyStatus {
  const effect = keys.size === 0 ? ', so all tokens are refused' : ''
  const warnings = refusals.map((refusal) => (isSet ? refusal : `a certificate is not accepted${effect}: ${refusal}`))
  return { source: isSet ? 'static' : 'certificate', keys: listKeys(keys.values()), ...NEVER_FETCHED, warnings }
}

/** `facts` is undefined for a disabled signer, whose keys are neither fetched nor used. */
export function providerStatus(facts: ProviderFacts | undefined, source: 'jwks' | 'pushed' = 'jwks'): SignerKeyStatus {
  if (!facts) return { source, keys: [], ...NEVER_FETCHED, warnings: [] }
  return {
    source,
    keys: listKeys(facts.keys.values()),
    lastSuccessAt: instant(facts.lastSuccessAt),
    lastError: facts.lastError ?? null,
    nextRefreshAt: instant(facts.nextRefreshAt),
    stale: facts.isStale,
    warnings: facts.warnings,
    ...(facts.pending && { pendingKeys: listKeys(facts.pending.values()) }),
  }
}

/** The status of a signer that pins keys. */
export function pinnedStatus(
  status: SignerKeyStatus,
  { used, ignored }: { readonly used: SignerKeys; readonly ignored: readonly SignerKey[] },
): SignerKeyStatus {
  const effect =
    used.size === 0 && ignored.length > 0 ? ['no key of the signer is pinned, so all tokens are refused'] : []
  return {
    ...status,
    keys: listKeys(used.values()),
    warnings: [...effect, ...ignored.map(notPinned), ...status.warnings],
    ignoredKeys: listKeys(ignored),
  }
}

/** The warning about a key that is not pinned. */
export function notPinned({ kid, thumbprint }: SignerKey): string {
  return `the key ${JSON.stringify(kid)} is not used, since its thumbprint ${thumbprint} is not pinned`
}

function listKeys(keys: Iterable<SignerKey>): ShownKey[] {
  return [...keys].map(({ kid, alg, algs, thumbprint }) => ({ kid, alg: alg ?? algs[0] ?? '', thumbprint }))
}

export function instant(at: number | undefined): string | null {
  return at === undefined ? null : instantText(at)
}
