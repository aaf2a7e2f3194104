import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/store.ts'
import type { SignerDirectory } from '../../token/signer-directory.ts'
import type { TokenVerifier } from '../../token/token-verifier.ts'
import type { ChannelReporter } from './channel-reporter.ts'

/** What receives messages of identity providers needs. */
export interface ChannelParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly clock: Clock
  readonly directory: Pick<SignerDirectory, 'enabled' | 'expire'>
  readonly verifier: Pick<TokenVerifier, 'verifyEvent'>
  readonly reporter: ChannelReporter
}
