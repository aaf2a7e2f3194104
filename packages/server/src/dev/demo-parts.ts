import type { ApiAccounts } from '../hosted/api-accounts.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { Store } from '../store/store.ts'
import type { LocalProvider } from './local-provider.ts'

/** What the demo data is made from. */
export interface DemoOptions {
  readonly provider: LocalProvider
  readonly store: Store
  readonly clock: Clock
  readonly sealing: Sealing
  readonly apiAccounts: ApiAccounts
  readonly dataDir: string
  /** The base addresses of the hosted API with a slash, the one that it calls itself by first. */
  readonly hostedAudiences: readonly [string, ...string[]]
}

/** The same for those who make a part of it. */
export interface DemoParts extends DemoOptions {
  readonly organizationId: string
  readonly meta: () => OperationMeta
}
