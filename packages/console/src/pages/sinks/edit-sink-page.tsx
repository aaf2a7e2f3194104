import { Stack } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { useFreshQuery } from '../../api/use-fresh-query.ts'
import { saveChanges } from '../../api/versioned.ts'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { SinkForm } from './sink-form.tsx'
import { sinkQuery } from './sink-query.ts'

const LIST = <PageLink to="/sinks">Event sinks</PageLink>

export function NewSinkPage() {
  const leave = useLeave()
  return (
    <Stack>
      <PageHead title="Add an event sink" description="It receives the events from now on." back={LIST} />
      <SinkForm onSend={async (body) => leave(await controller.eventSinks.create(body))} submitLabel="Add the sink" />
    </Stack>
  )
}

export function EditSinkPage() {
  const { id } = useParams({ from: '/shell/sinks/$id/edit' })
  const leave = useLeave()
  const query = useFreshQuery(sinkQuery(id))
  return (
    <Loaded query={query} back={LIST}>
      {(sink) => (
        <Stack>
          <PageHead
            title={`Edit ${sink.name}`}
            back={
              <PageLink to="/sinks/$id" params={{ id }}>
                {sink.name}
              </PageLink>
            }
          />
          <SinkForm
            sink={sink}
            onSend={(_, changed) => saveChanges(controller.eventSinks, sink, changed).then(() => leave(id))}
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
    await queries.invalidateQueries({ queryKey: ['sinks'] })
    await navigate({ to: '/sinks/$id', params: { id } })
  }
}
