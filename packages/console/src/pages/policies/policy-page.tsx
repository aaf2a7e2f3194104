import type { AuthPolicyInput } from '@countersign/sdk'
import { Stack } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { useFreshQuery } from '../../api/use-fresh-query.ts'
import { loadVersioned } from '../../api/versioned.ts'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { HistoryLink } from '../../show/history-link.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { PolicyForm } from './policy-form.tsx'
import { UsedBy, useReasonToKeep } from './used-by.tsx'

const BACK = <PageLink to="/policies">Authentication policies</PageLink>

const DEFAULT_POLICY = 'default'

export function PolicyPage() {
  const { id } = useParams({ from: '/shell/policies/$id' })
  const leave = useLeave()
  const reasonToKeep = useReasonToKeep(id)
  const query = useFreshQuery({
    queryKey: ['policies', 'one', id],
    queryFn: () => loadVersioned(controller.authPolicies, id),
  })
  return (
    <Loaded query={query} back={BACK}>
      {(policy) => (
        <Stack>
          <PageHead title={policy.name} back={BACK} description={<UsedBy id={id} />}>
            <HistoryLink id={id} />
            {id !== DEFAULT_POLICY && (
              <ConfirmButton
                label="Delete"
                name={policy.name}
                need="DELETE /auth-policies/:id"
                warning="This cannot be undone."
                notPossible={reasonToKeep}
                onConfirm={() => controller.authPolicies.delete(id).then(leave)}
              />
            )}
          </PageHead>
          <PolicyForm
            policy={policy}
            onSend={(body) => controller.authPolicies.replace(id, body, { ifMatch: policy.version }).then(leave)}
            submitLabel="Save"
          />
        </Stack>
      )}
    </Loaded>
  )
}

export function NewPolicyPage() {
  const navigate = useNavigate()
  const create = async (body: AuthPolicyInput) => {
    const id = await controller.authPolicies.create(body)
    await queries.invalidateQueries({ queryKey: ['policies'] })
    await navigate({ to: '/policies/$id', params: { id } })
  }
  return (
    <Stack>
      <PageHead title="Add a policy" back={BACK} />
      <PolicyForm onSend={create} submitLabel="Add the policy" />
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
