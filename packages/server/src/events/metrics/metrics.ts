import { Counter, Registry } from 'prom-client'
import { BoundedLabels } from './bounded-labels.ts'
import { TimeHistogram } from './time-histogram.ts'

/** What the parts of a controller measure while they work. None of it tells one identity from another. */
export interface Metrics {
  readonly registry: Registry
  /** An outcome of signing in; `reason` is `success` or why not. */
  signIn(method: string, signerId: string, reason: string): void
  /** An outcome of enrolling with a provider's token. */
  enrollment(signerId: string, reason: string): void
  /** A token was verified from the beginning, in so many milliseconds. */
  tokenVerified(milliseconds: number): void
  /** A token was known from before. */
  tokenFromCache(): void
  /** A write was durable, or had failed, after so many milliseconds. */
  written(milliseconds: number): void
  /** A call was refused since there had been too many. */
  rateLimited(limit: string): void
}

const VERIFY_SECONDS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5]
const WRITE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const signers = new BoundedLabels()
  const logins = new Counter({
    name: 'countersign_sign_ins_total',
    help: 'Outcomes of signing in, by method, signer and reason; the reason of a good one is success',
    labelNames: ['method', 'signer', 'reason'],
    registers,
  })
  const enrollments = new Counter({
    name: 'countersign_enrollments_total',
    help: 'Outcomes of enrolling with a provider’s token, by signer and reason',
    labelNames: ['signer', 'reason'],
    registers,
  })
  const verifySeconds = new TimeHistogram({
    name: 'countersign_token_verify_seconds',
    help: 'Time to verify a token that was not known from before, waiting for its key not counted',
    buckets: VERIFY_SECONDS,
    registers,
  })
  const cacheHits = new Counter({
    name: 'countersign_token_cache_hits_total',
    help: 'Tokens that were known from before; those that were not are the count of countersign_token_verify_seconds',
    registers,
  })
  const writeSeconds = new TimeHistogram({
    name: 'countersign_store_write_seconds',
    help: 'Time from asking for a write until it is durable',
    buckets: WRITE_SECONDS,
    registers,
  })
  const limited = new Counter({
    name: 'countersign_rate_limited_total',
    help: 'Calls that were refused since there had been too many, by the limit',
    labelNames: ['limit'],
    registers,
  })
  return {
    registry,
    signIn: (method, signerId, reason) => logins.inc({ method, signer: signers.of(signerId), reason }),
    enrollment: (signerId, reason) => enrollments.inc({ signer: signers.of(signerId), reason }),
    tokenVerified: (milliseconds) => verifySeconds.observe(milliseconds / 1000),
    tokenFromCache: () => cacheHits.inc(),
    written: (milliseconds) => writeSeconds.observe(milliseconds / 1000),
    rateLimited: (limit) => limited.inc({ limit }),
  }
}
