import { Counter, Histogram, Registry } from 'prom-client'
import { BoundedLabels } from './bounded-labels.ts'

/** The metrics that the parts of a controller record. No label identifies an identity. */
export interface Metrics {
  readonly registry: Registry
  /** A login; `reason` is `success` or the reason of the refusal. */
  login(method: string, signerId: string, reason: string): void
  /** An enrollment with a token of an identity provider; `reason` as for logins. */
  enrollment(signerId: string, reason: string): void
  /** A token was fully verified. */
  tokenVerified(milliseconds: number): void
  /** The verification of a token was cached. */
  tokenFromCache(): void
  /** A write has become durable or has failed. */
  written(milliseconds: number): void
  /** A request was refused by the limit of this name. */
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
    help: 'Logins by method, signer and reason; the reason of an accepted login is success',
    labelNames: ['method', 'signer', 'reason'],
    registers,
  })
  const enrollments = new Counter({
    name: 'countersign_enrollments_total',
    help: 'Enrollments with a token of an identity provider, by signer and reason',
    labelNames: ['signer', 'reason'],
    registers,
  })
  const verifySeconds = new Histogram({
    name: 'countersign_token_verify_seconds',
    help: 'Time to verify a token that was not cached, without the wait for its key',
    buckets: VERIFY_SECONDS,
    registers,
  })
  const cacheHits = new Counter({
    name: 'countersign_token_cache_hits_total',
    help: 'Tokens that were cached; those that were not are the count of countersign_token_verify_seconds',
    registers,
  })
  const writeSeconds = new Histogram({
    name: 'countersign_store_write_seconds',
    help: 'Time from the start of a write until it is durable',
    buckets: WRITE_SECONDS,
    registers,
  })
  const refusals = new Counter({
    name: 'countersign_rate_limited_total',
    help: 'Requests refused by a rate limit, by limit',
    labelNames: ['limit'],
    registers,
  })
  return {
    registry,
    login: (method, signerId, reason) => logins.inc({ method, signer: signers.of(signerId), reason }),
    enrollment: (signerId, reason) => enrollments.inc({ signer: signers.of(signerId), reason }),
    tokenVerified: (milliseconds) => verifySeconds.observe(milliseconds / 1000),
    tokenFromCache: () => cacheHits.inc(),
    written: (milliseconds) => writeSeconds.observe(milliseconds / 1000),
    rateLimited: (limit) => refusals.inc({ limit }),
  }
}
