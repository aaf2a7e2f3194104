import type { ApiSession } from '@countersign/sdk'
import { StateBadge } from '../../show/badges.tsx'
import { missingLabel } from '../../show/missing-label.ts'

const REFUSED = 'Refused: the policy no longer allows this login'

/** What the session can do now. */
export function describeSessionState({ state, missing = [] }: Pick<ApiSession, 'state' | 'missing'>): string {
  if (state === 'refused') return REFUSED
  if (state === 'complete') return 'Signed in'
  return missing.map(missingLabel).join('. ')
}

const COLORS = { complete: 'green', partial: 'orange', refused: 'red' } as const

export function SessionState({ session }: { readonly session: Pick<ApiSession, 'state' | 'missing'> }) {
  const { state = 'complete', missing = [] } = session
  const labels = state === 'partial' ? missing : [state]
  return labels.map((name) => (
    <StateBadge key={name} color={COLORS[state]}>
      {STATE_LABELS[name] ?? missingLabel(name)}
    </StateBadge>
  ))
}

const STATE_LABELS: Readonly<Record<string, string>> = { complete: 'Signed in', refused: 'No longer allowed' }
