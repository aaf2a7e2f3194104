import { useQuery } from '@tanstack/react-query'
import type { Signer } from '../../api/wire.ts'
import { StateBadge } from '../../show/badges.tsx'
import { keyHealth } from './key-health.ts'
import { signerQuery } from './signer-query.ts'

const POLL_MS = 30_000

/** The state of a signer's keys. Loads each signer: list responses have no key status. */
export function KeyHealthBadge({ signer }: { readonly signer: Signer }) {
  const { data } = useQuery({ ...signerQuery(signer.id), refetchInterval: POLL_MS })
  const { label, color } = keyHealth(data ?? signer, Date.now())
  return <StateBadge color={color}>{label}</StateBadge>
}
