import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { call, callData } from '../../api/call.ts'
import { one, POLICIES } from '../../api/paths.ts'
import { queries } from '../../api/queries.ts'
import type { Policy } from '../../api/wire.ts'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { PolicyForm } from './policy-form.tsx'

const DEFAULT_POLICY = 'default'

/** One policy, to read and to change. */
export function PolicyPage() {
  const { id } = useParams({ from: '/shell/policies/$id' })
  const leave = useLeave()
  const query = useQuery({
    queryKey: ['policies', 'one', id],
    queryFn: () => callData<Policy>('GET', one(POLICIES, id)),
    refetchOnWindowFocus: false,
  })
  return (
    <Loaded query={query}>
      {(policy) => (
        <Stack>
          <PageHead title={policy.name} back={<PageLink to="/policies">Authentication policies</PageLink>}>
            {id !== DEFAULT_POLICY && (
              <ConfirmButton
                label="Delete"
                name={policy.name}
                warning="It can only be deleted when no identity has it."
                onConfirm={() => call('DELETE', one(POLICIES, id)).then(leave)}
              />
            )}
          </PageHead>
          <PolicyForm
            policy={policy}
            onSend={(body) => call('PUT', one(POLICIES, id), body).then(leave)}
            submitLabel="Save"
          />
        </Stack>
      )}
    </Loaded>
  )
}

export function NewPolicyPage() {
  const leave = useLeave()
  return (
    <Stack>
      <PageHead title="Add a policy" back={<PageLink to="/policies">Authentication policies</PageLink>} />
      <PolicyForm onSend={(body) => call('POST', POLICIES, body).then(leave)} submitLabel="Add the policy" />
    </Stack>
  )
}

function useLeave(): () => Promise<void> {
  const navigate = useNavigate()
  return async () => {
    await navigate({ to: '/policies' })
    await queries.invalidateQueries({ queryKey: ['policies'] })
  }
}
