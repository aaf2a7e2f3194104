import { Alert, Stack } from '@mantine/core'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { useFreshQuery } from '../../api/use-fresh-query.ts'
import { saveChanges } from '../../api/versioned.ts'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { type IdentityStart, identityForClaim } from './identity-for-claim.ts'
import { IdentityForm } from './identity-form.tsx'
import { identityQuery, reloadIdentities } from './identity-query.ts'

const BACK = <PageLink to="/identities">Identities</PageLink>

export function EditIdentityPage() {
  const { id } = useParams({ from: '/shell/identities/$id/edit' })
  const query = useFreshQuery(identityQuery(id))
  const show = useShow()
  return (
    <Loaded query={query} back={BACK}>
      {(identity) => (
        <Stack>
          <PageHead
            title={`Edit ${identity.name}`}
            back={
              <PageLink to="/identities/$id" params={{ id }}>
                {identity.name}
              </PageLink>
            }
          />
          <IdentityForm
            identity={identity}
            onSend={(_, changed) => saveChanges(controller.identities, identity, changed).then(() => show(id))}
            submitLabel="Save"
          />
        </Stack>
      )}
    </Loaded>
  )
}

export function NewIdentityPage() {
  const { decision } = useSearch({ strict: false }) as { readonly decision?: unknown }
  if (typeof decision === 'string' && decision !== '') return <NewIdentityForClaim decisionId={decision} />
  return <NewIdentity />
}

function NewIdentity({ start }: { readonly start?: IdentityStart }) {
  const show = useShow()
  return (
    <Stack>
      <PageHead title="Add an identity" back={BACK} />
      {start?.note && (
        <Alert color="orange" variant="light">
          {start.note}
        </Alert>
      )}
      <IdentityForm
        {...(start && { start })}
        onSend={(body) => controller.identities.create(body).then(show)}
        submitLabel="Add the identity"
      />
    </Stack>
  )
}

function NewIdentityForClaim({ decisionId }: { readonly decisionId: string }) {
  const query = useFreshQuery({
    queryKey: ['identities', 'start', decisionId],
    queryFn: async () => {
      const decision = await controller.authDecisions.get(decisionId)
      const [signer, policies] = await Promise.all([
        decision.signerId === null ? undefined : controller.signers.get(decision.signerId),
        controller.authPolicies.all(),
      ])
      return identityForClaim(decision, signer, policies)
    },
  })
  return (
    <Loaded query={query} back={BACK}>
      {(start) => <NewIdentity start={start} />}
    </Loaded>
  )
}

function useShow(): (id: string) => Promise<void> {
  const navigate = useNavigate()
  return async (id) => {
    await reloadIdentities()
    await navigate({ to: '/identities/$id', params: { id } })
  }
}
