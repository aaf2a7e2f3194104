import type { X509Certificate } from 'node:crypto'
import { readCaCertificates } from '../net/read-cacerts.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import type { Controller } from './checks.ts'
import type { Finding } from './finding.ts'

const TIMEOUT_MS = 10_000
const DAY_MS = 86_400_000
/** The next intermediate is published 30 days before it issues, unless the settings say otherwise. */
const SOON_DAYS = 60

/** The CA certificates of the controller: how long they are valid, and how the intermediates follow each other. */
export async function checkCa({ url, caPem }: Controller): Promise<Finding[]> {
  const fetch = createTrustingFetch({ origin: url, caPem })
  const response = await fetch(`${url}/.well-known/est/cacerts`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) return []
  const certificates = readCaCertificates(await response.text())
  return certificates.length === 0 ? [] : [describeCa(certificates, Date.now())]
}

/** Exported for tests. */
export function describeCa(certificates: readonly X509Certificate[], now: number): Finding {
  const isRoot = (certificate: X509Certificate) => certificate.checkIssued(certificate)
  const roots = certificates.filter(isRoot)
  const intermediates = certificates
    .filter((certificate) => !isRoot(certificate))
    .toSorted((one, other) => other.validFromDate.getTime() - one.validFromDate.getTime())
  const [newest] = intermediates
  const ends = [...roots, ...(newest ? [newest] : [])].map(({ validToDate }) => validToDate.getTime())
  const days = Math.floor((Math.min(...ends) - now) / DAY_MS)
  const says = [
    ...roots.map((root) => `the root is valid until ${dayOf(root.validToDate)}`),
    ...(newest
      ? [
          `the newest of ${countOf(intermediates)} is of ${dayOf(newest.validFromDate)}, valid until ${dayOf(newest.validToDate)}`,
        ]
      : []),
  ].join('; ')
  const hint = 'it ends soon: see "A new intermediate CA" and "A new CA" in docs/operations.md'
  return { check: 'CA', ok: days >= 0, says, ...(days < SOON_DAYS && { hint }) }
}

const countOf = ({ length }: readonly unknown[]): string => `${length} intermediate${length === 1 ? '' : 's'}`
const dayOf = (date: Date): string => date.toISOString().slice(0, 10)
