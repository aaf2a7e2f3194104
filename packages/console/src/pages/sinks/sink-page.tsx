import { EVENT_SINK } from '@countersign/contract/event-sink'
import type { EventSink } from '@countersign/sdk'
import { Alert, Button, Group, NumberInput, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { EnabledBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Details, Section } from '../../show/details.tsx'
import { HistoryLink } from '../../show/history-link.tsx'
import { Instant } from '../../show/instant.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { TagList } from '../../show/tag-list.tsx'
import { useSignerNames } from '../policies/use-signer-names.ts'
import { sinkQuery } from './sink-query.ts'
import { DeliveryBadge } from './sinks-page.tsx'

const BACK = <PageLink to="/sinks">Event sinks</PageLink>
const REFRESH_MS = 5_000

export function SinkPage() {
  const { id } = useParams({ from: '/shell/sinks/$id' })
  const query = useQuery({ ...sinkQuery(id), refetchInterval: REFRESH_MS })
  return (
    <Loaded query={query} back={BACK}>
      {(sink) => <SinkDetail sink={sink} />}
    </Loaded>
  )
}

function SinkDetail({ sink }: { readonly sink: EventSink }) {
  const { filter, lastDeliveryAt, lastError, dropped } = sink
  const { nameOf } = useSignerNames()
  return (
    <Stack>
      <PageHead title={sink.name} back={BACK}>
        <SinkActions sink={sink} />
      </PageHead>
      {lastError && (
        <Alert color="red" title="The last delivery failed">
          {lastError}. It is tried again, and nothing is lost while events are kept.
        </Alert>
      )}
      <Section title="Deliveries" aside={<DeliveryBadge sink={sink} />}>
        <Details
          members={EVENT_SINK.members}
          rows={[
            ['Position', sink.position, 'position'],
            ['Behind', sink.behind, 'behind'],
            ['Last delivery', lastDeliveryAt && <Instant key="at" at={lastDeliveryAt} />, 'lastDeliveryAt'],
            ['Deleted before delivery', dropped, 'dropped'],
          ]}
        />
        <Replay sink={sink} />
      </Section>
      <Section title="Settings" aside={<EnabledBadge enabled={sink.enabled} />}>
        <Details
          members={EVENT_SINK.members}
          rows={[
            ['Kind', sink.kind, 'kind'],
            ['URL', sink.url, 'url'],
            ['Format', sink.format, 'format'],
            ['Secret', sink.secretSet ? 'Set' : 'None', 'secretSet'],
            ['Types', filter?.types?.join(', ') ?? 'All'],
            ['Signers', filter?.signers?.map(nameOf).join(', ') ?? 'All'],
            ['Outcomes', filter?.outcomes?.join(', ') ?? 'All'],
            ['Tags', <TagList key="tags" tags={sink.tags} />],
          ]}
        />
      </Section>
    </Stack>
  )
}

function SinkActions({ sink: { id, name } }: { readonly sink: EventSink }) {
  const navigate = useNavigate()
  const remove = async () => {
    await controller.eventSinks.delete(id)
    await navigate({ to: '/sinks' })
    await queries.invalidateQueries({ queryKey: ['sinks', 'list'] })
  }
  const test = async () => {
    const { delivered, error = '', durationMs } = await controller.eventSinks.test(id)
    if (delivered) notifications.show({ message: `The test event was delivered in ${durationMs} ms.`, color: 'green' })
    else
      notifications.show({ title: 'The test event was not delivered', message: error, color: 'red', autoClose: 10_000 })
  }
  return (
    <>
      <HistoryLink id={id} />
      <ActionButton need="POST /event-sinks/:id/test" onAct={test}>
        Send a test event
      </ActionButton>
      <ButtonLink to="/sinks/$id/edit" params={{ id }} variant="default">
        Edit
      </ButtonLink>
      <ConfirmButton
        label="Delete"
        name={name}
        need="DELETE /event-sinks/:id"
        warning="It receives no further events, not even those that it has missed."
        onConfirm={remove}
        done={`The sink “${name}” is deleted.`}
      />
    </>
  )
}

/** Delivers events again. */
function Replay({ sink: { id, name, position } }: { readonly sink: EventSink }) {
  const [from, setFrom] = useState<number | string>('')
  const replay = async () => {
    await controller.eventSinks.replay(id, Number(from))
    await queries.invalidateQueries({ queryKey: ['sinks'] })
  }
  if (position === 0) return null
  return (
    <Group align="end" gap="xs">
      <NumberInput label="Replay from position" min={1} max={position + 1} value={from} onChange={setFrom} />
      {from === '' ? (
        <Button variant="default" disabled>
          Replay
        </Button>
      ) : (
        <ActionButton need="POST /event-sinks/:id/replay" onAct={replay} done={`Events are sent to “${name}” again.`}>
          Replay
        </ActionButton>
      )}
    </Group>
  )
}
