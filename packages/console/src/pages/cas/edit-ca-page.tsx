import { Stack } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { useFreshQuery } from '../../api/use-fresh-query.ts'
import { saveChanges } from '../../api/versioned.ts'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { CaForm } from './ca-form.tsx'
import { caQuery } from './ca-query.ts'

const LIST = <PageLink to="/cas">CAs</PageLink>

export function NewCaPage() {
  const leave = useLeave()
  return (
    <Stack>
      <PageHead
        title="Add a CA"
        description="Paste its certificate. The next page shows how to prove that you have its private key."
        back={LIST}
      />
      <CaForm onSend={async (body) => leave(await controller.cas.create(body))} submitLabel="Add the CA" />
    </Stack>
  )
}

export function EditCaPage() {
  const { id } = useParams({ from: '/shell/cas/$id/edit' })
  const leave = useLeave()
  const query = useFreshQuery(caQuery(id))
  return (
    <Loaded query={query} back={LIST}>
      {(ca) => (
        <Stack>
          <PageHead
            title={`Edit ${ca.name}`}
            back={
              <PageLink to="/cas/$id" params={{ id }}>
                {ca.name}
              </PageLink>
            }
          />
          <CaForm
            ca={ca}
            onSend={(_, changed) => saveChanges(controller.cas, ca, changed).then(() => leave(id))}
            submitLabel="Save"
          />
        </Stack>
      )}
    </Loaded>
  )
}

function useLeave(): (id: string) => Promise<void> {
  const navigate = useNavigate()
  return async (id) => {
    await queries.invalidateQueries({ queryKey: ['cas'] })
    await navigate({ to: '/cas/$id', params: { id } })
  }
}
