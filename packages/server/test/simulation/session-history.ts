import type { SharedDatabase } from './shared-database.ts'

/** Sessions of enabled identities, and policies that allow passwords, by which all sessions were opened. */
const TRUE_FACTS = `select session.id from api_sessions as session
  join identities as identity on identity.id = session.identity_id where identity.disabled_at is null
  union all select id from auth_policies where updb_allowed = 1`

/** How long a change may need to be felt on other nodes (D13). */
const MAX_DELAY_MS = 1_000

/** A fact is true or not from this commit until the next state. */
interface State {
  readonly isTrue: boolean
  readonly commit: number
  readonly at: number
}

const NEVER_TRUE: readonly State[] = [{ isTrue: false, commit: 0, at: 0 }]

/** One request with a session. */
export interface SessionUse {
  readonly sessionId: string
  readonly policyId: string
  readonly startedAt: number
  readonly endedAt: number
  /** Whether its node had acknowledged a commit before it began. */
  isOwn(commit: number): boolean
}

/**
 * When each session existed and each policy allowed it, by the commits of the shared database. A session is valid when both are true. They
 * are separate because a node reads them one after the other.
 */
export class SessionHistory {
  readonly #facts = new Map<string, readonly State[]>()

  /** Records the state after a commit. */
  record(database: SharedDatabase, commit: number, at: number): void {
    const facts = new Set(database.rows<{ id: string }>(TRUE_FACTS).map(({ id }) => id))
    for (const id of new Set([...this.#facts.keys(), ...facts])) {
      const isTrue = facts.has(id)
      const states = this.#statesOf(id)
      if (states.at(-1)?.isTrue !== isTrue) this.#facts.set(id, [...states, { isTrue, commit, at }])
    }
  }

  isValid(sessionId: string, policyId: string): boolean {
    return [sessionId, policyId].every((id) => this.#statesOf(id).at(-1)?.isTrue)
  }

  /** Whether a node may still find the session valid, or not, because it was so a second before. Its own writes count at once. */
  isPossible(isValid: boolean, use: SessionUse): boolean {
    const isSo = (id: string) => this.#wasPossible(id, isValid, use)
    return isValid ? isSo(use.sessionId) && isSo(use.policyId) : isSo(use.sessionId) || isSo(use.policyId)
  }

  /** For how long the session had ended, or its policy had forbidden it. */
  endedSince({ sessionId, policyId, startedAt }: SessionUse): number {
    const lastChangeOf = (id: string) => {
      const last = this.#statesOf(id).findLast(({ at }) => at <= startedAt)
      return last?.isTrue === false ? startedAt - last.at : 0
    }
    return Math.max(lastChangeOf(sessionId), lastChangeOf(policyId))
  }

  #wasPossible(id: string, isTrue: boolean, { startedAt, endedAt, isOwn }: SessionUse): boolean {
    const states = this.#statesOf(id)
    return states.some((state, index) => {
      const next = states[index + 1]
      const isTooOld = next && (next.at < startedAt - MAX_DELAY_MS || isOwn(next.commit))
      return state.isTrue === isTrue && !isTooOld && state.at <= endedAt
    })
  }

  #statesOf(id: string): readonly State[] {
    return this.#facts.get(id) ?? NEVER_TRUE
  }
}
