import type { AccountJob } from '@countersign/sdk'
import { Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { hosted } from '../../api/client.ts'
import { loadAndPage } from '../../api/hosted-list.ts'
import { queries } from '../../api/queries.ts'
import type { Credentials } from '../../api/wire.ts'
import { ListPage } from '../../list/list-page.tsx'
import { ActionButton } from '../../show/action-button.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Instant } from '../../show/instant.tsx'
import { CredentialsDialog } from './credentials-dialog.tsx'
import { ACCOUNT_JOBS_CSV } from './organization-csv.ts'

type NamedJob = AccountJob & { readonly name: string }

const KIND_LABELS: Readonly<Record<AccountJob['kind'], string>> = {
  create: 'Create the account',
  rotate: 'Rotate the credentials',
  remove: 'Remove a client',
  'remove-secret': 'Remove the old secret',
  enable: 'Enable or disable the client',
}
const STATES: Readonly<Record<AccountJob['state'], readonly [label: string, color: string]>> = {
  running: ['Running', 'blue'],
  pending: ['Pending', 'orange'],
  failed: ['Failed', 'red'],
  unknown: ['Unknown', 'red'],
}

/** The list is searched by the name of the account. */
const jobs = {
  page: async () => {
    const { items, total } = await hosted.accountJobs.page()
    return { items: items.map((job): NamedJob => ({ ...job, name: job.accountName })), total }
  },
}

/** Work at identity providers that is not done yet, or has failed. */
export function AccountJobsPage() {
  const [credentials, setCredentials] = useState<Credentials>()
  const reload = () => queries.invalidateQueries({ queryKey: ['account-jobs'] })
  const repeat = async (id: string) => {
    const account = await hosted.accountJobs.repeat(id).finally(reload)
    setCredentials(account?.credentials)
    if (!account?.credentials) notifications.show({ message: 'The job is done.', color: 'green' })
  }
  return (
    <>
      <ListPage<NamedJob>
        title="Jobs at providers"
        description="What is left to do at identity providers for API accounts. Pending jobs are tried again by themselves; a failed one has left nothing there."
        queryKey={['account-jobs']}
        load={(request) => loadAndPage(jobs, request)}
        columns={[
          { label: 'Account', sort: 'name', cell: ({ name }) => name },
          { label: 'Job', sort: 'kind', from: 'sm', cell: ({ kind }) => KIND_LABELS[kind] },
          { label: 'State', sort: 'state', cell: (job) => <JobState job={job} /> },
          { label: 'Next attempt', from: 'md', cell: ({ nextAttemptAt }) => <Instant at={nextAttemptAt} /> },
          { label: 'Error', from: 'md', cell: (job) => errorOf(job) },
          {
            label: 'Actions',
            cell: ({ id, name, state }) =>
              state === 'running' ? null : (
                <Group gap={6} wrap="nowrap">
                  <ActionButton size="xs" label={`Repeat ${name}`} onAct={() => repeat(id)}>
                    {state === 'pending' ? 'Try now' : 'Repeat'}
                  </ActionButton>
                  <ConfirmButton
                    size="xs"
                    label="Dismiss"
                    name={name}
                    warning="The controller forgets the job. What it would have removed at the provider stays there."
                    onConfirm={() => hosted.accountJobs.dismiss(id).then(reload)}
                    done="The job is dismissed."
                  />
                </Group>
              ),
          },
        ]}
        defaultSort="name asc"
        searchLabel="Search by account"
        csv={ACCOUNT_JOBS_CSV}
        emptyText="Nothing is left to do at the identity providers."
      />
      <CredentialsDialog credentials={credentials} onClose={() => setCredentials(undefined)} />
    </>
  )
}

function JobState({ job: { state } }: { readonly job: AccountJob }) {
  const [label, color] = STATES[state]
  return <StateBadge color={color}>{label}</StateBadge>
}

function errorOf({ state, error, clientName }: AccountJob): string {
  if (state !== 'unknown') return error ?? '–'
  return `${error ?? ''} A client “${clientName}” may be left at the provider: look there.`
}
