/** One call of a client, and what it was told. */
export interface Operation {
  readonly kind: 'enroll' | 'sign-in' | 'use' | 'revoke'
  /** Whose it is. A sign-in, a use and a revocation are of a session too. */
  readonly who: string
  readonly session?: string
  readonly node: number
  /** When it was sent and answered, on the clock of the clients. */
  readonly from: number
  readonly to: number
  /** Undefined where a fault got in the way: it may have happened or not. */
  readonly status: number | undefined
}

/** What one node has done the others know within this time. */
export const KNOWN_WITHIN_MS = 1_000

type Rule = (of: Operation, others: readonly Operation[]) => string | undefined

const isDone = ({ status }: Operation): boolean => status === 200
const ofKind = (operations: readonly Operation[], kind: Operation['kind']) =>
  operations.filter((operation) => operation.kind === kind)

const RULES: Readonly<Record<Operation['kind'], Rule>> = {
  enroll: (one, others) => {
    const rivals = ofKind(others, 'enroll').filter((other) => other !== one)
    if (one.status === 200) return rivals.some(isDone) ? 'enrolled twice' : undefined
    if (one.status !== 409) return `enrolling was answered ${one.status}`
    const isExplained = rivals.some((rival) => rival.from < one.to && rival.status !== 409)
    return isExplained ? undefined : 'said to be enrolled, and nobody has enrolled him'
  },
  'sign-in': (one, others) => {
    const enrolled = ofKind(others, 'enroll').filter(({ status }) => status !== 409)
    if (one.status === 200)
      return enrolled.some(({ from }) => from < one.to) ? undefined : 'signed in before he was enrolled'
    if (one.status !== 401) return `signing in was answered ${one.status}`
    const isKnown = enrolled.some((other) => isDone(other) && other.to <= one.from)
    return isKnown ? 'enrolled, and not let in' : undefined
  },
  use: (one, others) => {
    const own = others.filter(({ session }) => session === one.session)
    const revoked = ofKind(own, 'revoke')
    if (one.status === 401)
      return revoked.some(({ from }) => from < one.to) ? undefined : 'refused before it was revoked'
    if (one.status !== 200) return `using a session was answered ${one.status}`
    const isOver = revoked.some(
      (other) => isDone(other) && other.to + (other.node === one.node ? 0 : KNOWN_WITHIN_MS) <= one.from,
    )
    if (isOver) return 'good after it was revoked'
    const wasRefused = ofKind(own, 'use').some(
      ({ status, node, to }) => status === 401 && node === one.node && to <= one.from,
    )
    return wasRefused ? 'good again on a node that had refused it' : undefined
  },
  revoke: (one, others) => {
    if (one.status === 200) return undefined
    if (one.status !== 401) return `revoking was answered ${one.status}`
    const isExplained = others.some(
      (other) => other !== one && other.kind === 'revoke' && other.session === one.session && other.from < one.to,
    )
    return isExplained ? undefined : 'said to be revoked, and nobody has revoked it'
  },
}

/**
 * Holds what clients of several nodes were told against an order in which it can have happened: what was acknowledged before
 * something else was sent came before it. Answers what cannot be explained.
 */
export function checkHistory(operations: readonly Operation[]): string[] {
  const problems: string[] = []
  for (const [who, own] of Map.groupBy(operations, (operation) => operation.who)) {
    for (const operation of own) {
      const problem = operation.status === undefined ? undefined : RULES[operation.kind](operation, own)
      if (problem) problems.push(`${who} on node ${operation.node} after ${Math.round(operation.from)} ms: ${problem}`)
    }
  }
  return problems
}

/** Holds who is stored against who was told so: everybody who was, once, and nobody who never asked. */
export function checkStored(operations: readonly Operation[], names: readonly string[]): string[] {
  const enrolling = ofKind(operations, 'enroll')
  const asked = new Set(enrolling.map(({ who }) => who))
  const stored = new Set(names)
  const lost = new Set(enrolling.filter((one) => isDone(one) && !stored.has(one.who)).map(({ who }) => who))
  return [
    ...[...lost].map((name) => `${name} was told that he is enrolled, and is not there`),
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} is there twice`),
    ...[...stored].filter((name) => !asked.has(name)).map((name) => `nobody asked for ${name}`),
  ]
}
