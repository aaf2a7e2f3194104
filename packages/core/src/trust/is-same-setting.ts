import type { SharedSignals } from '@countersign/contract/ext-jwt-signer'
import { parseRequiredClaims } from '../claim/required-claims.ts'
import { isJsonObject, type ReadonlyJson } from '../json/json-value.ts'
import { signalAction } from '../signer/shared-signals.ts'

/** What the value of a member means, for members that can say the same in several ways. */
const MEANINGS: Readonly<Record<string, (value: never) => unknown>> = {
  additionalAudiences: setOf,
  certPem: withoutSpaces,
  certPems: (pems: readonly string[]) => setOf(pems.map(withoutSpaces)),
  jwksCaPem: withoutSpaces,
  pinnedKeyThumbprints: setOf,
  conditions: meaningOfClaims,
  requiredClaims: meaningOfClaims,
  // Clients join the scopes with spaces. A comma can be part of one.
  scopes: (scopes: readonly string[]) => setOf(scopes.flatMap((scope) => scope.split(' ')).filter(Boolean)),
  sharedSignals: meaningOfSignals,
}

/**
 * Whether two values of a member mean the same, so that clients can send a setting back in another form: objects in any order, one accepted value of
 * a required claim as a text or a list, lists that are sets in any order.
 */
export function isSameSetting(name: string, one: unknown, other: unknown): boolean {
  return meaningOf(name, one) === meaningOf(name, other)
}

/** As JSON, with the members of objects in the order of their names. */
function meaningOf(name: string, value: unknown): string {
  const meaning = MEANINGS[name] as ((value: unknown) => unknown) | undefined
  return JSON.stringify(value && meaning ? meaning(value) : (value ?? null), (_, inner) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(byName)) : inner,
  )
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}

/** Clients send the lines of PEM texts with other ends. */
function withoutSpaces(pem: string): string {
  return pem.replaceAll(/\s/g, '')
}

function setOf(list: readonly string[]): readonly string[] {
  return [...new Set(list)].toSorted()
}

/** Claims that cannot be parsed are returned as they are: validation refuses them later. */
function meaningOfClaims(claims: ReadonlyJson): unknown {
  const reading = parseRequiredClaims(claims)
  if (!reading.ok) return claims
  return Object.fromEntries(
    reading.requiredClaims.map(({ selector, accepted }) => [
      selector.text,
      'glob' in accepted ? { glob: accepted.glob } : setOf(accepted.anyOf),
    ]),
  )
}

/** An event without an action of its own has the default one. */
function meaningOfSignals({ actions, ...members }: SharedSignals): unknown {
  const events = Object.keys(actions).filter(
    (event) => signalAction({ actions }, event) !== signalAction({ actions: {} }, event),
  )
  return { ...members, actions: Object.fromEntries(events.map((event) => [event, signalAction({ actions }, event)])) }
}
