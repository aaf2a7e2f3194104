import { Stack } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { useFreshQuery } from '../../api/use-fresh-query.ts'
import { saveChanges } from '../../api/versioned.ts'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
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
  const show = useShow()
  return (
    <Stack>
      <PageHead title="Add an identity" back={BACK} />
      <IdentityForm onSend={(body) => controller.identities.create(body).then(show)} submitLabel="Add the identity" />
    </Stack>
  )
}

function useShow(): (id: string) => Promise<void> {
  const navigate = useNavigate()
  return async (id) => {
    await reloadIdentities()
    await navigate({ to: '/identities/$id', params: { id } })
  }
}
