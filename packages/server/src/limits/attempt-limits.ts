import { clientNetwork } from '@countersign/core'
import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import type { Settings } from '../platform/settings/index.ts'
import { type AttemptLimiter, createAttemptLimiter, type LimitMetrics } from './attempt-limiter.ts'
import type { AttemptSharing } from './attempt-sharing.ts'
import { createHoldBack, type HoldBack, TELL_AT_ONCE } from './hold-back.ts'
import { createSignerLimiter, type SignerLimiter } from './signer-limiter.ts'

/** The limits on what strangers may try. */
export interface AttemptLimits {
  /** Calls of one client address that were refused, at all doors that cost work. */
  readonly address: AttemptLimiter
  /** Slows down an address that is refused over and over, also while it is within its limit. */
  readonly holdBack: HoldBack
  /** Refused passwords of one client address: comparing one is made to be slow. */
  readonly password: AttemptLimiter
  /** Tokens that name a signer and are not signed by it. */
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

export function createAttemptLimits({ settings, ...parts }: AttemptLimitsParts): AttemptLimits {
  const { limits } = settings
  const limiter = (what: string, burst: number, perSecond: number) =>
    createAttemptLimiter({ burst, perSecond }, { ...parts, what })
  const signer = limiter('signer', limits.signerBurst, limits.signerPerSecond)
  return {
    address: byNetwork(limiter('address', limits.addressBurst, limits.addressPerSecond)),
    holdBack: limits.addressBurst === 0 ? TELL_AT_ONCE : createHoldBack(parts.clock),
    password: byNetwork(limiter('password', limits.passwordBurst, limits.passwordPerMinute / SECONDS_PER_MINUTE)),
    signer: createSignerLimiter(signer, parts.sharing),
  }
}

function byNetwork(limiter: AttemptLimiter): AttemptLimiter {
  return { begin: (address) => limiter.begin(clientNetwork(address)) }
}
