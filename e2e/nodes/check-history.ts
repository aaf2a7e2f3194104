/** One call of a client and its result. */
export interface Operation {
  readonly kind: 'enroll' | 'login' | 'use' | 'revoke'
  /** The name of the identity. */
  readonly name: string
  readonly session?: string
  readonly node: number
  /** When it was sent and completed, by the clock of the clients. */
  readonly from: number
  readonly to: number
  /** Undefined when a fault interrupted the call: it may have taken effect or not. */
  readonly status: number | undefined
}

/** Other nodes see a change within this time. */
export const VISIBLE_WITHIN_MS = 1_000

/** Returns what is wrong with `operation`, given all operations of the same identity. */
type Rule = (operation: Operation, all: readonly Operation[]) => string | undefined

const isDone = ({ status }: Operation): boolean => status === 200
const ofKind = (operations: readonly Operation[], kind: Operation['kind']) =>
  operations.filter((operation) => operation.kind === kind)

const RULES: Readonly<Record<Operation['kind'], Rule>> = {
  enroll: (operation, all) => {
    const others = ofKind(all, 'enroll').filter((other) => other !== operation)
    if (operation.status === 200) return others.some(isDone) ? 'enrolled twice' : undefined
    if (operation.status !== 409) return `enrollment returned ${operation.status}`
    const isExplained = others.some((other) => other.from < operation.to && other.status !== 409)
    return isExplained ? undefined : 'reported as enrolled, but never enrolled'
  },
  login: (operation, all) => {
    const enrolled = ofKind(all, 'enroll').filter(({ status }) => status !== 409)
    if (operation.status === 200)
      return enrolled.some(({ from }) => from < operation.to) ? undefined : 'logged in before the enrollment'
    if (operation.status !== 401) return `login returned ${operation.status}`
    const isEnrolled = enrolled.some((other) => isDone(other) && other.to <= operation.from)
    return isEnrolled ? 'enrolled, but login refused' : undefined
  },
  use: (operation, all) => {
    const own = all.filter(({ session }) => session === operation.session)
    const revoked = ofKind(own, 'revoke')
    if (operation.status === 401)
      return revoked.some(({ from }) => from < operation.to) ? undefined : 'refused before it was revoked'
    if (operation.status !== 200) return `using a session returned ${operation.status}`
    const isOver = revoked.some(
      (other) => isDone(other) && other.to + (other.node === operation.node ? 0 : VISIBLE_WITHIN_MS) <= operation.from,
    )
    if (isOver) return 'accepted after it was revoked'
    const wasRefused = ofKind(own, 'use').some(
      ({ status, node, to }) => status === 401 && node === operation.node && to <= operation.from,
    )
    return wasRefused ? 'accepted again on a node that had refused it' : undefined
  },
  revoke: (operation, all) => {
    if (operation.status === 200) return undefined
    if (operation.status !== 401) return `revocation returned ${operation.status}`
    const isExplained = all.some(
      (other) =>
        other !== operation &&
        other.kind === 'revoke' &&
        other.session === operation.session &&
        other.from < operation.to,
    )
    return isExplained ? undefined : 'reported as revoked, but never revoked'
  },
}

/**
 * Checks the responses that clients of several nodes got for a possible order: what was acknowledged before another call was sent
 * happened before it. Returns the violations.
 */
export function checkHistory(operations: readonly Operation[]): string[] {
  const violations: string[] = []
  for (const [name, own] of Map.groupBy(operations, (operation) => operation.name)) {
    for (const operation of own) {
      const violation = operation.status === undefined ? undefined : RULES[operation.kind](operation, own)
      if (violation)
        violations.push(`${name} on node ${operation.node} after ${Math.round(operation.from)} ms: ${violation}`)
    }
  }
  return violations
}

/** Checks that exactly the acknowledged identities are stored, each once; interrupted enrollments can be stored or not. */
export function checkStored(operations: readonly Operation[], names: readonly string[]): string[] {
  const enrolling = ofKind(operations, 'enroll')
  const requested = new Set(enrolling.map(({ name }) => name))
  const stored = new Set(names)
  const lost = new Set(enrolling.filter((one) => isDone(one) && !stored.has(one.name)).map(({ name }) => name))
  return [
    ...[...lost].map((name) => `${name} was acknowledged, but is not stored`),
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} is stored twice`),
    ...[...stored].filter((name) => !requested.has(name)).map((name) => `${name} was never requested`),
  ]
}
