import type { ScimService } from '../../login/channels/scim-service.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ScimSigner } from '../../store/reads/scim-user-reads.ts'
import type { Store } from '../../store/store.ts'
import type { Call } from '../pipeline/call.ts'

export interface ScimRouteParts {
  readonly store: Store
  readonly clock: Clock
  readonly scim: ScimService
  /** host:port pairs under which clients reach this controller. */
  readonly addresses: () => readonly string[]
}

export interface ScimContext {
  /** The signer of the request. Fails with NOT_FOUND when it is gone. */
  signerOf(call: Call): Promise<ScimSigner>
  baseUrlOf(call: Call): string
}
