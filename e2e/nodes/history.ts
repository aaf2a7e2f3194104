import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControllerAnswer, ReadyController } from '@countersign/testkit'
import { IDENTITIES, OWN_SESSION } from '../workers/worker-clients.ts'
import { checkHistory, checkStored, KNOWN_WITHIN_MS, type Operation } from './check-history.ts'
import type { Nodes } from './two-nodes.ts'

const ENROLL = '/edge/client/v1/enroll/token'
const SIGN_IN = '/edge/client/v1/authenticate?method=ext-jwt'
const CLIENTS = 4
const PAGE = 500
/** So many sessions are left open, to be looked for at the end. */
const MOST_KEPT = 200
const PAUSE_MS = 20

/** What clients of several nodes have done and were told. */
export interface History {
  /** Sign-ins, revocations and enrollments that were acknowledged, and calls that a fault has cut off or refused with 503. */
  readonly counts: { enrolled: number; signedIn: number; revoked: number; used: number; unanswered: number }
  /** When a node last acknowledged a write. */
  lastWriteAt(): number
  /** Uses another process in place of the second node. */
  replaceTwo(two: ReadyController): void
  /** Ends it, and holds what was told against each other and against what is stored on each node. */
  finish(): Promise<void>
}

const COUNTED = { enroll: 'enrolled', 'sign-in': 'signedIn', revoke: 'revoked', use: 'used' } as const

/**
 * Lets clients enroll with one token on both nodes at once, sign in on one, use the session on both while it is revoked on one, and
 * leave some open. While a fault lasts a call may be refused with 503 or cut off; whatever is answered otherwise must be right.
 */
export function startHistory({ one, two, admin, token }: Nodes): History {
  const nodes: [ReadyController, ReadyController] = [one, two]
  const counts = { enrolled: 0, signedIn: 0, revoked: 0, used: 0, unanswered: 0 }
  const operations: Operation[] = []
  const kept: { readonly who: string; readonly session: string }[] = []
  const late: Promise<unknown>[] = []
  const impolite: string[] = []
  const agent = new Agent({ keepAlive: true })
  let lastWriteAt = 0
  let isStopping = false

  const call = async (
    operation: Pick<Operation, 'kind' | 'who' | 'session'> & { readonly node: 0 | 1 },
    ...[method, path, options]: Parameters<ReadyController['request']>
  ): Promise<ControllerAnswer | undefined> => {
    const from = performance.now()
    const answer = await nodes[operation.node].request(method, path, { ...options, agent }).catch(() => undefined)
    const isAnswered = answer !== undefined && answer.status !== 503
    const status = isAnswered ? answer.status : undefined
    operations.push({ ...operation, from, to: performance.now(), status })
    if (answer?.status === 503 && answer.headers['retry-after'] === undefined) impolite.push(answer.text)
    if (status === 200) {
      counts[COUNTED[operation.kind]]++
      if (operation.kind !== 'use') lastWriteAt = performance.now()
    }
    if (isAnswered) return answer
    counts.unanswered++
    await sleep(PAUSE_MS)
    return undefined
  }

  const use = (node: 0 | 1, who: string, session: string) =>
    call({ kind: 'use', who, session, node }, 'GET', OWN_SESSION, { session })

  const live = async (who: string, isKept: boolean): Promise<void> => {
    const headers = { authorization: `Bearer ${token(who)}` }
    const [here, there] = Math.random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const)
    const enroll = (node: 0 | 1) => call({ kind: 'enroll', who, node }, 'POST', ENROLL, { headers, body: {} })
    // Whoever has heard nothing asks again, with the same token, until he knows.
    while (!(await Promise.all([enroll(here), enroll(there)])).some(Boolean)) if (isStopping) return
    const opened = await call({ kind: 'sign-in', who, node: there }, 'POST', SIGN_IN, { headers, body: {} })
    if (opened?.status !== 200) return
    const session = String(opened.headers['zt-session'])
    await Promise.all([use(here, who, session), use(there, who, session)])
    if (isKept) return void kept.push({ who, session })
    const revoke = () => call({ kind: 'revoke', who, session, node: here }, 'DELETE', OWN_SESSION, { session })
    await Promise.all([revoke(), ...[here, there, here, there].map((node) => use(node, who, session))])
    await use(here, who, session)
    late.push(sleep(KNOWN_WITHIN_MS).then(() => use(there, who, session)))
  }

  const client = async (number: number): Promise<void> => {
    for (let n = 0; !isStopping; n++) await live(`client-${number}-${n}`, n % 3 === 0 && kept.length < MOST_KEPT)
  }
  const ended = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))

  /** Every session that clients know of, those that were revoked and those that must still be there. */
  const lookAgain = async (): Promise<void> => {
    const known = new Map(operations.flatMap(({ session, who }) => (session === undefined ? [] : [[session, who]])))
    for (const { session, who } of kept) known.set(session, who)
    for (const [session, who] of known) await Promise.all([use(0, who, session), use(1, who, session)])
  }

  return {
    counts,
    lastWriteAt: () => lastWriteAt,
    replaceTwo: (next) => {
      nodes[1] = next
    },
    finish: async () => {
      isStopping = true
      await ended
      await Promise.all(late)
      const before = operations.length
      await lookAgain()
      assert.ok(
        operations.slice(before).every(({ status }) => status !== undefined),
        'everybody is answered at the end',
      )
      agent.destroy()
      assert.deepEqual(checkHistory(operations), [])
      assert.deepEqual(impolite, [], '503 without Retry-After')
      for (const node of nodes) {
        const names = (await listNames(node, admin)).filter((name) => name.startsWith('client-'))
        assert.deepEqual(checkStored(operations, names), [])
      }
    },
  }
}

async function listNames(node: ReadyController, session: string): Promise<string[]> {
  const names: string[] = []
  for (let offset = 0; ; offset += PAGE) {
    const { status, json, text } = await node.request('GET', `${IDENTITIES}?limit=${PAGE}&offset=${offset}`, {
      session,
    })
    assert.equal(status, 200, text)
    names.push(...json.data.map(({ name }: { name: string }) => name))
    if (json.data.length < PAGE) return names
  }
}
