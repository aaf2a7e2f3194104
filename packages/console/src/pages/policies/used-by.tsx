import { type AuthPolicy, quoteForFilter } from '@countersign/sdk'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'
import { type BulkAction, previewEach } from '../../list/bulk-action.ts'
import { StateBadge } from '../../show/badges.tsx'
import { counted } from '../../show/counted.ts'
import { PageLink } from '../../show/links.tsx'

const DEFAULT_POLICY = 'default'

/** How many identities have a policy, and how many signers give it to those they enroll. */
async function countUses(id: string): Promise<{ readonly identities: number; readonly signers: number }> {
  const count = { limit: 1, offset: 0 }
  const [identities, signers] = await Promise.all([
    controller.identities.page({ ...count, filter: `authPolicyId = ${quoteForFilter(id)}` }),
    controller.signers.page({ ...count, filter: `enrollAuthPolicyId = ${quoteForFilter(id)}` }),
  ])
  return { identities: identities.total, signers: signers.total }
}

/** Undefined without the permission to read them. */
function useUses(id: string) {
  const may = useMay()
  const { data } = useQuery({
    queryKey: ['policies', 'uses', id],
    queryFn: () => countUses(id),
    enabled: may('GET /identities') && may('GET /ext-jwt-signers'),
    retry: false,
  })
  return data
}

/** Why a policy cannot be deleted; undefined when nothing uses it. */
export function useReasonToKeep(id: string): string | undefined {
  const { identities = 0, signers = 0 } = useUses(id) ?? {}
  const users = [
    ...(identities > 0 ? [counted(identities, 'identity', 'identities')] : []),
    ...(signers > 0 ? [counted(signers, 'signer', 'signers')] : []),
  ]
  if (users.length === 0) return undefined
  const verb = identities + signers === 1 ? 'uses' : 'use'
  return `It cannot be deleted while ${users.join(' and ')} ${verb} it: give them another policy first.`
}

export function UsedBy({ id }: Pick<AuthPolicy, 'id'>) {
  const data = useUses(id)
  return (
    <Stack gap={4} align="flex-start">
      {id === DEFAULT_POLICY && <StateBadge color="blue">Default</StateBadge>}
      {data && (
        <PageLink to="/identities" search={{ policy: id }}>
          {counted(data.identities, 'identity', 'identities')}
        </PageLink>
      )}
      {data !== undefined && data.signers > 0 && (
        <Text size="sm">{counted(data.signers, 'signer', 'signers')} for enrollments</Text>
      )}
    </Stack>
  )
}

export const POLICY_BULK_ACTIONS: readonly BulkAction<AuthPolicy>[] = [
  {
    label: 'Delete',
    isDangerous: true,
    need: 'DELETE /auth-policies/:id',
    preview: async (policies) => {
      const uses = new Map<string, number>()
      for (const { id } of policies) {
        // Those that may not read them are refused by the server when it is in use.
        const { identities, signers } = await countUses(id).catch(() => ({ identities: 0, signers: 0 }))
        uses.set(id, identities + signers)
      }
      return previewEach(controller.authPolicies, policies, ({ id, version }) => {
        if (id === DEFAULT_POLICY) return { effect: 'The default policy stays' }
        const used = uses.get(id) ?? 0
        if (used > 0)
          return { effect: `In use: ${counted(used, 'identity or signer has', 'identities or signers have')} it` }
        return { effect: 'Deleted for good', run: () => controller.authPolicies.delete(id, { ifMatch: version }) }
      })
    },
  },
]
