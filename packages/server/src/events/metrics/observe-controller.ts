import { type Aggregator, Counter, Gauge } from 'prom-client'
import type { Clock } from '../../platform/clock.ts'
import { countLiveSessions } from '../../store/reads/session-reads.ts'
import type { Store } from '../../store/store.ts'
import type { EventHub } from '../event-hub.ts'
import { MAX_LABELS, OTHER } from './bounded-labels.ts'
import type { Metrics } from './metrics.ts'

interface ObservedKeys {
  countStale(): number
  providerFacts(): Iterable<readonly [signerId: string, facts: KeyFacts]>
}

interface KeyFacts {
  readonly lastSuccessAt: number | undefined
  readonly failedFetches: number
}

interface Observed {
  readonly metrics: Metrics
  readonly store: Store
  readonly clock: Clock
  readonly sessions: { readonly size: number }
  readonly signerKeys: ObservedKeys
  readonly events: EventHub
  readonly decisions: { readonly leftOut: number }
  readonly streams: { readonly size: number }
}

/** Sessions are counted at most once in this time. */
const COUNT_EVERY_MS = 15_000

/** Registers the metrics that are read from the parts of a controller on each scrape. */
export function observeController(observed: Observed): void {
  const { metrics, sessions, signerKeys, events, decisions, streams } = observed
  const registers = [metrics.registry]
  const gauge = (
    name: string,
    help: string,
    value: () => number | undefined | Promise<number | undefined>,
    aggregator: Aggregator = 'sum',
  ): void => {
    new Gauge({
      name,
      help,
      registers,
      aggregator,
      async collect() {
        const now = await value()
        if (now === undefined) this.reset()
        else this.set(now)
      },
    })
  }
  gauge('countersign_sessions', 'Valid sessions, on all nodes', createSessionCount(observed), 'max')
  gauge('countersign_sessions_remembered', 'Sessions in the memory of this node', () => sessions.size)
  gauge('countersign_signers_stale', 'Signers whose keys could not be refreshed', () => signerKeys.countStale(), 'max')
  gauge('countersign_event_streams', 'Open event streams', () => streams.size)
  new Counter({
    name: 'countersign_events_total',
    help: 'Events by namespace',
    labelNames: ['namespace'],
    registers,
    collect() {
      this.reset()
      for (const [namespace, count] of events.counts.published) this.inc({ namespace }, count)
    },
  })
  new Counter({
    name: 'countersign_events_left_out_total',
    help: 'Events left out because there were too many at once',
    registers,
    collect() {
      this.reset()
      this.inc(events.counts.sampledOut)
    },
  })
  new Counter({
    name: 'countersign_auth_decisions_left_out_total',
    help: 'Refused logins without a decision because there were too many at once',
    registers,
    collect() {
      this.reset()
      this.inc(decisions.leftOut)
    },
  })
  observeKeys(observed)
}

function observeKeys({ metrics, signerKeys, clock }: Observed): void {
  const registers = [metrics.registry]
  new Gauge({
    name: 'countersign_jwks_age_seconds',
    help: 'Time since the keys of a signer were last fetched; the longest for all signers after the first 50 by id',
    labelNames: ['signer'],
    registers,
    aggregator: 'min',
    collect() {
      this.reset()
      const now = clock.now()
      for (const { signer, facts } of labelled(signerKeys)) {
        const ages = facts.flatMap(({ lastSuccessAt }) =>
          lastSuccessAt === undefined ? [] : [Math.max(0, now - lastSuccessAt) / 1000],
        )
        if (ages.length > 0)
          this.set(
            { signer },
            ages.reduce((a, b) => Math.max(a, b)),
          )
      }
    },
  })
  new Counter({
    name: 'countersign_jwks_failures_total',
    help: 'Failed attempts to fetch the keys of a signer',
    labelNames: ['signer'],
    registers,
    aggregator: 'max',
    collect() {
      this.reset()
      for (const { signer, facts } of labelled(signerKeys)) {
        this.inc(
          { signer },
          facts.reduce((sum, { failedFetches }) => sum + failedFetches, 0),
        )
      }
    },
  })
}

function labelled(signerKeys: Observed['signerKeys']) {
  const byId = [...signerKeys.providerFacts()].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const rest = byId.slice(MAX_LABELS).map(([, facts]) => facts)
  const first = byId.slice(0, MAX_LABELS).map(([signer, facts]) => ({ signer, facts: [facts] }))
  return rest.length > 0 ? [...first, { signer: OTHER, facts: rest }] : first
}

function createSessionCount({ store, clock }: Observed): () => Promise<number | undefined> {
  let counted: Promise<number | undefined> | undefined
  let countedAt = Number.NEGATIVE_INFINITY
  const count = async (): Promise<number | undefined> => {
    try {
      return await countLiveSessions(store.db, clock.now())
    } catch {
      return undefined
    }
  }
  return () => {
    const now = performance.now()
    if (!counted || now - countedAt >= COUNT_EVERY_MS) {
      countedAt = now
      counted = count()
    }
    return counted
  }
}
