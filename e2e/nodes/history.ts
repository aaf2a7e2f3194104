import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControllerAnswer, ReadyController } from '@countersign/testkit'
import { IDENTITIES, OWN_SESSION } from '../workers/worker-clients.ts'
import type { Nodes } from './two-nodes.ts'

const ENROLL = '/edge/client/v1/enroll/token'
const SIGN_IN = '/edge/client/v1/authenticate?method=ext-jwt'
/** What one node has done the others know within this time. */
const KNOWN_WITHIN_MS = 1_000
const CLIENTS = 4
const PAGE = 500

/** What clients of several nodes have done and were told, checked while it goes on and at the end. */
export interface History {
  /** Sign-ins, revocations and enrollments that were acknowledged. */
  readonly counts: { enrolled: number; signedIn: number; revoked: number; unanswered: number }
  /** When a node last acknowledged a write. */
  lastWriteAt(): number
  /** Uses another process in place of the second node. */
  replaceTwo(two: ReadyController): void
  /** Ends it and holds what is stored against what was acknowledged. */
  finish(): Promise<void>
}

/**
 * Lets clients enroll, sign in on one node, use the session on the other, and revoke it. While a fault lasts a call may be refused with
 * 503 or cut off; whatever is answered otherwise must be right.
 */
export function startHistory({ one, two, admin, token }: Nodes): History {
  const nodes: [ReadyController, ReadyController] = [one, two]
  const counts = { enrolled: 0, signedIn: 0, revoked: 0, unanswered: 0 }
  const enrolled = new Set<string>()
  const wrong: string[] = []
  const agent = new Agent({ keepAlive: true })
  let lastWriteAt = 0
  let isStopping = false

  /** Undefined where a fault has got in the way, which leaves the outcome open. */
  const call = async (
    node: 0 | 1,
    ...[method, path, options]: Parameters<ReadyController['request']>
  ): Promise<ControllerAnswer | undefined> => {
    const answer = await nodes[node].request(method, path, { ...options, agent }).catch(() => undefined)
    if (answer && answer.status !== 503) return answer
    if (answer && answer.headers['retry-after'] === undefined) wrong.push(`503 without Retry-After: ${answer.text}`)
    counts.unanswered++
    await sleep(20)
    return undefined
  }

  const expect = (answer: ControllerAnswer | undefined, status: number, what: string): boolean => {
    if (answer && answer.status !== status) wrong.push(`${what}: ${answer.status} ${answer.text}`)
    return answer?.status === status
  }

  const live = async (name: string): Promise<void> => {
    const headers = { authorization: `Bearer ${token(name)}` }
    const [here, there] = Math.random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const)
    const made = await call(here, 'POST', ENROLL, { headers, body: {} })
    if (!expect(made, 200, `enroll ${name}`)) return
    enrolled.add(name)
    counts.enrolled++
    lastWriteAt = performance.now()
    const opened = await call(there, 'POST', SIGN_IN, { headers, body: {} })
    if (!expect(opened, 200, `sign in ${name}`)) return
    counts.signedIn++
    lastWriteAt = performance.now()
    const session = String(opened?.headers['zt-session'])
    for (const node of [here, there, here] as const) {
      expect(await call(node, 'GET', OWN_SESSION, { session }), 200, `use ${name} before its end`)
    }
    const ended = await call(here, 'DELETE', OWN_SESSION, { session })
    if (!expect(ended, 200, `revoke ${name}`)) return
    counts.revoked++
    lastWriteAt = performance.now()
    expect(await call(here, 'GET', OWN_SESSION, { session }), 401, `use ${name} on the node that revoked it`)
    await sleep(KNOWN_WITHIN_MS)
    expect(await call(there, 'GET', OWN_SESSION, { session }), 401, `use ${name} on the other node a second later`)
  }

  const client = async (number: number): Promise<void> => {
    for (let n = 0; !isStopping; n++) await live(`client-${number}-${n}`)
  }
  const ended = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))

  return {
    counts,
    lastWriteAt: () => lastWriteAt,
    replaceTwo: (next) => {
      nodes[1] = next
    },
    finish: async () => {
      isStopping = true
      await ended
      agent.destroy()
      assert.deepEqual(wrong, [])
      for (const node of nodes) {
        const names = await listNames(node, admin)
        assert.equal(names.length, new Set(names).size, 'nobody was enrolled twice')
        assert.deepEqual(
          [...enrolled].filter((name) => !names.includes(name)),
          [],
          'enrollments that were acknowledged and are not there',
        )
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
