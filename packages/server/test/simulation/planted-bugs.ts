import { type RedeemCertificate, redeemCertificate } from '../../src/operations/enrollment/redeem-enrollment.ts'
import { operation } from '../../src/store/operation.ts'
import { insertCertificateAuthenticator } from '../../src/store/writes/authenticator-writes.ts'
import type { Parts } from './simulation.ts'

interface PlantedBug {
  readonly name: string
  readonly parts: Parts
  /** The violation that shows it. */
  readonly violation: RegExp
}

/** Stores a certificate, but does not delete the enrollment. */
const redeemRepeatedly = operation({
  name: redeemCertificate.name,
  access: 'none',
  run: (tx, { authenticator }: RedeemCertificate) => insertCertificateAuthenticator(tx, authenticator),
})

const VALID_TOO_LONG = /accepts session-\d+ \d/

/** Faults of the product that a simulation must find, one for each rule it checks at least. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'a change feed that does not notice missed notifications',
    parts: { feedConnection: (connection) => ({ ...connection, newest: async () => (await connection.newest()) * 0 }) },
    violation: VALID_TOO_LONG,
  },
  {
    name: 'a node that keeps its caches while it is cut off',
    parts: { publish: (publish) => (changes) => changes !== 'everything' && publish(changes) },
    violation: VALID_TOO_LONG,
  },
  {
    name: 'a change feed whose timers follow the wall clock',
    parts: { scheduler: (scheduler, clock) => ({ ...scheduler, elapsedMs: () => clock.now() }) },
    violation: VALID_TOO_LONG,
  },
  {
    name: 'a node that clears its caches after it has acknowledged a write',
    parts: { publish: (publish, scheduler) => (changes) => void scheduler.after(200, () => publish(changes)) },
    violation: VALID_TOO_LONG,
  },
  {
    name: 'a write that is acknowledged although its connection was lost',
    parts: { acknowledgesLost: true },
    violation: /acknowledged, but lost/,
  },
  {
    name: 'an enrollment whose token works twice',
    parts: { operation: (operation) => (operation === redeemCertificate ? redeemRepeatedly : operation) },
    violation: /certificates are stored/,
  },
]
