import { instantText, type SignerKeys } from '@countersign/core'
import type { CertificateKeySet } from './certificate-keys.ts'
import type { ProviderFacts } from './provider-keys.ts'

/** The state of a signer's keys, as the management API shows it. */
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

export function certificateStatus({ keys, problem }: CertificateKeySet): SignerKeyStatus {
  const warnings = problem === undefined ? [] : [`the certificate is not accepted, no token verifies: ${problem}`]
  return { source: 'certificate', keys: listKeys(keys), ...NEVER_FETCHED, warnings }
}

/** Without facts, nothing is fetched: the signer is disabled. */
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
