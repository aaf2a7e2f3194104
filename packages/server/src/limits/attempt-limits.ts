import { clientNetwork } from '@countersign/core'
import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import type { Settings } from '../platform/settings/index.ts'
import { type Attempt, type AttemptLimiter, BucketLimiter, type LimitMetrics, UNLIMITED } from './attempt-limiter.ts'
import type { AttemptSharing } from './attempt-sharing.ts'
import { RefusalDelay } from './refusal-delay.ts'
import { SignerLimiter } from './signer-limiter.ts'

/** Limits for callers without a session. */
export interface AttemptLimits {
  /** Refused calls per client network, over all routes that are expensive without a session. */
  readonly address: AttemptLimiter
  /** Lists with a query per client network, refused or not. */
  readonly query: AttemptLimiter
  /** See `RefusalDelay.wait`. */
  readonly delayRefusal: (address: string) => Promise<void> | undefined
  /** Refused passwords per client network. Comparing a password is slow by design. */
  readonly password: AttemptLimiter
  /** Tokens that name a signer but have an invalid signature. */
  readonly signer: SignerLimiter
}

interface AttemptLimitsParts {
  readonly settings: Pick<Settings, 'limits'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: LimitMetrics
  readonly sharing?: AttemptSharing | undefined
}

const SECONDS_PER_MINUTE = 60

/** A burst of 0 means no limit; without a limit on addresses, refusals are not delayed either. */
export function createAttemptLimits({ settings, ...parts }: AttemptLimitsParts): AttemptLimits {
  const { limits } = settings
  const limiter = (limit: string, burst: number, perSecond: number): AttemptLimiter =>
    burst === 0 ? UNLIMITED : new BucketLimiter({ burst, perSecond }, { ...parts, limit })
  const signer = limiter('signer', limits.signerBurst, limits.signerPerSecond)
  const delay = limits.addressBurst === 0 ? undefined : new RefusalDelay(parts)
  return {
    address: new NetworkLimiter(limiter('address', limits.addressBurst, limits.addressPerSecond)),
    query: new NetworkLimiter(limiter('query', limits.queryBurst, limits.queryPerSecond)),
    delayRefusal: (address) => delay?.wait(address),
    password: new NetworkLimiter(
      limiter('password', limits.passwordBurst, limits.passwordPerMinute / SECONDS_PER_MINUTE),
    ),
    signer: new SignerLimiter(signer, parts.sharing),
  }
}

/** Counts by the network of a client address. */
class NetworkLimiter implements AttemptLimiter {
  readonly #limiter: AttemptLimiter

  constructor(limiter: AttemptLimiter) {
    this.#limiter = limiter
  }

  begin(address: string): Attempt {
    return this.#limiter.begin(clientNetwork(address))
  }
}
