import { useQuery } from '@tanstack/react-query'
import type { Signer } from '../../api/wire.ts'
import { StateBadge } from '../../show/badges.tsx'
import { keyHealth } from './key-health.ts'
import { signerQuery } from './signer-query.ts'

const LOOK_EVERY_MS = 30_000

/** How the keys of a signer are; lists of signers do not say it, so each is asked about. */
export function KeyHealthBadge({ signer }: { readonly signer: Signer }) {
  const { data } = useQuery({ ...signerQuery(signer.id), refetchInterval: LOOK_EVERY_MS })
  const { word, color } = keyHealth(data ?? signer, Date.now())
  return <StateBadge color={color}>{word}</StateBadge>
}
