import { instantText, type SignerKeys } from '@countersign/core'
import type { CertificateKeySet } from './certificate-keys.ts'
import type { ProviderFacts } from './provider-keys.ts'

/** The state of a signer's keys, as returned by the management API. */
export interface SignerKeyStatus {
  readonly source: 'certificate' | 'jwks'
  readonly keys: readonly { readonly kid: string; readonly alg: string; readonly thumbprint: string }[]
  readonly lastSuccessAt: string | null
  readonly lastError: string | null
  readonly nextRefreshAt: string | null
  readonly stale: boolean
  readonly warnings: readonly string[]
}

const NEVER_FETCHED = { lastSuccessAt: null, lastError: null, nextRefreshAt: null, stale: false }

export function certificateStatus({ keys, refusal }: CertificateKeySet): SignerKeyStatus {
  const warnings =
    refusal === undefined ? [] : [`the certificate is not accepted, so all tokens are refused: ${refusal}`]
  return { source: 'certificate', keys: listKeys(keys), ...NEVER_FETCHED, warnings }
}

/** `facts` is undefined for a disabled signer, which fetches no keys. */
export function providerStatus(facts: ProviderFacts | undefined): SignerKeyStatus {
  if (!facts) return { source: 'jwks', keys: [], ...NEVER_FETCHED, warnings: [] }
  return {
    source: 'jwks',
    keys: listKeys(facts.keys),
    lastSuccessAt: instant(facts.lastSuccessAt),
    lastError: facts.lastError ?? null,
    nextRefreshAt: instant(facts.nextRefreshAt),
    stale: facts.isStale,
    warnings: facts.warnings,
  }
}

function listKeys(keys: SignerKeys): SignerKeyStatus['keys'] {
  return [...keys.values()].map(({ kid, alg, algs, thumbprint }) => ({ kid, alg: alg ?? algs[0] ?? '', thumbprint }))
}

function instant(at: number | undefined): string | null {
  return at === undefined ? null : instantText(at)
}
