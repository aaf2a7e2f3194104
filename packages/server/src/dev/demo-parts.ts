import type { ApiAccounts } from '../hosted/api-accounts.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { Store } from '../store/store.ts'
import type { LocalProvider } from './local-provider.ts'

export interface DemoOptions {
  readonly provider: LocalProvider
  readonly store: Store
  readonly clock: Clock
  readonly sealing: Sealing
  readonly apiAccounts: ApiAccounts
  readonly dataDir: string
  /** Base URLs of the hosted API with a trailing slash, the preferred one first. */
  readonly hostedAudiences: readonly [string, ...string[]]
}

export interface DemoParts extends DemoOptions {
  readonly organizationId: string
  readonly meta: () => OperationMeta
}
