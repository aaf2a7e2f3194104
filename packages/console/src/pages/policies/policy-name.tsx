import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'
import { PageLink } from '../../show/links.tsx'

const DEFAULT_POLICY = 'default'

/** Links to a policy by name; null means the default policy. */
export function PolicyName({ id }: { readonly id: string | null }) {
  const policyId = id || DEFAULT_POLICY
  const may = useMay()
  const { data } = useQuery({
    queryKey: ['policies', 'name', policyId],
    queryFn: () => controller.authPolicies.get(policyId),
    enabled: may('GET /auth-policies/:id'),
  })
  return (
    <PageLink to="/policies/$id" params={{ id: policyId }} className="breakable" inherit>
      {data?.name ?? policyId}
    </PageLink>
  )
}
