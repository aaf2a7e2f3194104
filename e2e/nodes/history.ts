import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControllerResponse, ReadyController } from '@countersign/testkit'
import { IDENTITIES, OWN_SESSION } from '../workers/worker-clients.ts'
import { checkHistory, checkStored, type Operation, VISIBLE_WITHIN_MS } from './check-history.ts'
import type { Nodes } from './two-nodes.ts'

const ENROLL = '/edge/client/v1/enroll/token'
const LOGIN = '/edge/client/v1/authenticate?method=ext-jwt'
const CLIENTS = 4
const PAGE = 500
/** Sessions that are kept open and checked at the end. */
const MAX_OPEN = 200
const PAUSE_MS = 20

/** The calls of the clients of several nodes, and their results. */
export interface History {
  /** Acknowledged calls by kind, and calls that a fault interrupted or refused with 503. */
  readonly counts: { enrolled: number; loggedIn: number; revoked: number; used: number; interrupted: number }
  /** When a node last acknowledged a write. */
  lastWriteAt(): number
  /** Replaces the second node by another process. */
  replaceTwo(two: ReadyController): void
  /** Stops the clients, and checks their results against each other and against what each node has stored. */
  finish(): Promise<void>
}

const COUNTED = { enroll: 'enrolled', login: 'loggedIn', revoke: 'revoked', use: 'used' } as const

/**
 * Runs clients that enroll with one token on both nodes at once, log in on one, and use the session on both while it is revoked on one.
 * Some sessions stay open. During a fault a call can be refused with 503 or interrupted; any other response must be correct.
 */
export function startHistory({ one, two, admin, token }: Nodes): History {
  const nodes: [ReadyController, ReadyController] = [one, two]
  const counts = { enrolled: 0, loggedIn: 0, revoked: 0, used: 0, interrupted: 0 }
  const operations: Operation[] = []
  const open: { readonly name: string; readonly session: string }[] = []
  const deferred: Promise<unknown>[] = []
  const withoutRetryAfter: string[] = []
  const agent = new Agent({ keepAlive: true })
  let lastWriteAt = 0
  let isStopping = false

  const call = async (
    operation: Pick<Operation, 'kind' | 'name' | 'session'> & { readonly node: 0 | 1 },
    ...[method, path, options]: Parameters<ReadyController['request']>
  ): Promise<ControllerResponse | undefined> => {
    const from = performance.now()
    const response = await nodes[operation.node].request(method, path, { ...options, agent }).catch(() => undefined)
    const isCompleted = response !== undefined && response.status !== 503
    const status = isCompleted ? response.status : undefined
    operations.push({ ...operation, from, to: performance.now(), status })
    if (response?.status === 503 && response.headers['retry-after'] === undefined) withoutRetryAfter.push(response.text)
    if (status === 200) {
      counts[COUNTED[operation.kind]]++
      if (operation.kind !== 'use') lastWriteAt = performance.now()
    }
    if (isCompleted) return response
    counts.interrupted++
    await sleep(PAUSE_MS)
    return undefined
  }

  const use = (node: 0 | 1, name: string, session: string) =>
    call({ kind: 'use', name, session, node }, 'GET', OWN_SESSION, { session })

  const runIdentity = async (name: string, staysOpen: boolean): Promise<void> => {
    const headers = { authorization: `Bearer ${token(name)}` }
    const [here, there] = Math.random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const)
    const enroll = (node: 0 | 1) => call({ kind: 'enroll', name, node }, 'POST', ENROLL, { headers, body: {} })
    // A client without a response repeats the call with the same token.
    while (!(await Promise.all([enroll(here), enroll(there)])).some(Boolean)) if (isStopping) return
    const opened = await call({ kind: 'login', name, node: there }, 'POST', LOGIN, { headers, body: {} })
    if (opened?.status !== 200) return
    const session = String(opened.headers['zt-session'])
    await Promise.all([use(here, name, session), use(there, name, session)])
    if (staysOpen) return void open.push({ name, session })
    const revoke = () => call({ kind: 'revoke', name, session, node: here }, 'DELETE', OWN_SESSION, { session })
    await Promise.all([revoke(), ...[here, there, here, there].map((node) => use(node, name, session))])
    await use(here, name, session)
    deferred.push(sleep(VISIBLE_WITHIN_MS).then(() => use(there, name, session)))
  }

  const client = async (number: number): Promise<void> => {
    for (let n = 0; !isStopping; n++) await runIdentity(`client-${number}-${n}`, n % 3 === 0 && open.length < MAX_OPEN)
  }
  const ended = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))

  /** Uses every session once more: revoked ones and those that must still be valid. */
  const useAllSessions = async (): Promise<void> => {
    const known = new Map(operations.flatMap(({ session, name }) => (session === undefined ? [] : [[session, name]])))
    for (const { session, name } of open) known.set(session, name)
    for (const [session, name] of known) await Promise.all([use(0, name, session), use(1, name, session)])
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
      await Promise.all(deferred)
      const before = operations.length
      await useAllSessions()
      assert.ok(
        operations.slice(before).every(({ status }) => status !== undefined),
        'every call gets a response at the end',
      )
      agent.destroy()
      assert.deepEqual(checkHistory(operations), [])
      assert.deepEqual(withoutRetryAfter, [], '503 without Retry-After')
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
