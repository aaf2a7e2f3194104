import type { ControllerClient, HostedClient } from '@countersign/sdk'
import { usageError } from '../cli-error.ts'
import { ACCOUNTS, NETWORKS, PROVIDERS } from '../resources/hosted-kinds.ts'
import { CAS, IDENTITIES, POLICIES, SIGNERS, SINKS } from '../resources/kinds.ts'
import type { ResourceDescription, ResourceKind, WritableCollection } from '../resources/resource-kind.ts'
import { listSecrets } from './diff-secrets.ts'
import { type AccountOptions, openAccounts, openNetworks, openProviders } from './hosted-collections.ts'

/** The clients that a state is read from and applied with. */
export interface Clients {
  readonly controller: ControllerClient
  /** Undefined when no record of the hosted API is concerned. */
  readonly hosted?: HostedClient | undefined
  readonly accounts?: AccountOptions | undefined
}

interface StateRow {
  readonly kind: ResourceDescription
  /** Members that are set when an item is created, and never changed. */
  readonly createOnly?: readonly string[]
  /** Members of files that the API changes by calls of their own. */
  readonly byAction?: readonly string[]
  readonly isHosted?: true
  open(clients: Clients): WritableCollection
}

const onController = (kind: ResourceKind, more: Partial<StateRow> = {}): StateRow => ({
  kind,
  open: ({ controller }) => kind.open(controller),
  ...more,
})

function hostedOf({ hosted }: Clients): HostedClient {
  if (hosted) return hosted
  throw new TypeError('there is no client of the hosted API')
}

/** The kinds in a file of `export`, in the order in which `apply` creates them. */
const ROWS: readonly StateRow[] = [
  onController(CAS, { createOnly: ['certPem'] }),
  onController(SIGNERS),
  onController(POLICIES),
  onController(IDENTITIES, { byAction: ['disabled', 'disabledUntil'] }),
  onController(SINKS),
  { kind: PROVIDERS, isHosted: true, open: (clients) => openProviders(hostedOf(clients)) },
  { kind: NETWORKS, isHosted: true, open: (clients) => openNetworks(hostedOf(clients)) },
  {
    kind: ACCOUNTS,
    isHosted: true,
    createOnly: ['identityProviderId', 'kind', 'clientId'],
    open: (clients) => openAccounts(hostedOf(clients), clients.accounts ?? {}),
  },
]

export const KINDS: readonly ResourceDescription[] = ROWS.map(({ kind }) => kind)

function rowOf(kind: ResourceDescription): StateRow | undefined {
  return ROWS.find((row) => row.kind === kind)
}

export function openCollection(kind: ResourceDescription, clients: Clients): WritableCollection {
  const row = rowOf(kind)
  if (row) return row.open(clients)
  throw new TypeError(`${kind.plural} are not in files`)
}

export function isHosted(kind: ResourceDescription): boolean {
  return rowOf(kind)?.isHosted === true
}

export function createOnlyOf(kind: ResourceDescription): readonly string[] {
  return rowOf(kind)?.createOnly ?? []
}

export function byActionOf(kind: ResourceDescription): readonly string[] {
  return rowOf(kind)?.byAction ?? []
}

/** The members that an item of a file can have, in their order there. */
export function listFileMembers(kind: ResourceDescription): readonly string[] {
  return [...new Set([...kind.writable, ...listSecrets(kind), ...createOnlyOf(kind), ...byActionOf(kind)])]
}

/** The kind with this name, in singular or plural. */
export function getKind(name: string): ResourceDescription {
  const found = KINDS.find(({ plural, singular }) => plural === name || singular.toLowerCase() === name.toLowerCase())
  if (found) return found
  const known = KINDS.map(({ plural }) => plural).join(', ')
  throw usageError(`there is no kind "${name}" in files`, `kinds are ${known}`)
}
