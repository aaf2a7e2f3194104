import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { call, callData } from '../../api/call.ts'
import { IDENTITIES, one } from '../../api/paths.ts'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { IdentityForm } from './identity-form.tsx'
import { identityQuery, reloadIdentities } from './identity-query.ts'

export function EditIdentityPage() {
  const { id } = useParams({ from: '/shell/identities/$id/edit' })
  const query = useQuery({ ...identityQuery(id), refetchOnWindowFocus: false })
  const show = useShow()
  return (
    <Loaded query={query}>
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
            onSend={(body) => call('PATCH', one(IDENTITIES, id), body).then(() => show(id))}
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
      <PageHead title="Add an identity" back={<PageLink to="/identities">Identities</PageLink>} />
      <IdentityForm
        onSend={(body) => callData<{ id: string }>('POST', IDENTITIES, body).then(({ id }) => show(id))}
        submitLabel="Add the identity"
      />
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
