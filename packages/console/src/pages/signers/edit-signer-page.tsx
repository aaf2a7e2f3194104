import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { one, SIGNERS } from '../../api/paths.ts'
import { queries } from '../../api/queries.ts'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { SignerForm } from './signer-form.tsx'
import { signerQuery } from './signer-query.ts'

export function EditSignerPage() {
  const { id } = useParams({ from: '/shell/signers/$id/edit' })
  const navigate = useNavigate()
  const query = useQuery({ ...signerQuery(id), refetchOnWindowFocus: false })
  const save = async (body: Record<string, unknown>) => {
    await call('PUT', one(SIGNERS, id), body)
    await queries.invalidateQueries({ queryKey: ['signers'] })
    await navigate({ to: '/signers/$id', params: { id } })
  }
  return (
    <Loaded query={query}>
      {(signer) => (
        <Stack>
          <PageHead
            title={`Edit ${signer.name}`}
            back={
              <PageLink to="/signers/$id" params={{ id }}>
                {signer.name}
              </PageLink>
            }
          />
          <SignerForm signer={signer} onSend={save} submitLabel="Save" />
        </Stack>
      )}
    </Loaded>
  )
}
