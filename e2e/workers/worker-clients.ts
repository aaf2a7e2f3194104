import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import type { ControllerAnswer, ReadyController } from '@countersign/testkit'

export const MANAGEMENT = '/edge/management/v1'
export const LOGIN = `${MANAGEMENT}/authenticate?method=password`
export const IDENTITIES = `${MANAGEMENT}/identities`
export const OWN_SESSION = `${MANAGEMENT}/current-api-session`

/** Longer than anything takes that is under way. */
const LIMIT_MS = 30_000

/** A client with one connection that it keeps, and so with one worker, until that closes it. */
export interface OneConnection {
  request(
    method: string,
    path: string,
    options?: { session?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<ControllerAnswer>
  close(): void
}

/** Connections are handed to workers in turn: as many as there are workers, or more, reach them all. */
export function openConnections(controller: ReadyController, count: number): OneConnection[] {
  return Array.from({ length: count }, () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    return {
      request: (method, path, options = {}) => controller.request(method, path, { ...options, agent }),
      close: () => agent.destroy(),
    }
  })
}

/** Process ids of the workers, as the operating system knows them. */
export function workersOf({ pid }: ReadyController): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

export async function until(isTrue: () => boolean | Promise<boolean>, what: string, limitMs = LIMIT_MS): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isTrue())) {
    assert.ok(performance.now() < deadline, `waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Makes an identity with a password; answers its id and how to sign in as it. */
export async function makePerson(
  controller: ReadyController,
  session: string,
  members: Readonly<Record<string, unknown>> & { readonly name: string },
) {
  const password = `the password of ${members.name}`
  const made = await controller.request('POST', IDENTITIES, {
    session,
    body: { type: 'User', isAdmin: false, ...members },
  })
  assert.equal(made.status, 201, made.text)
  const id = String(made.json.data.id)
  const withPassword = await controller.request('POST', `${MANAGEMENT}/authenticators`, {
    session,
    body: { method: 'updb', identityId: id, username: members.name, password },
  })
  assert.equal(withPassword.status, 201, withPassword.text)
  return { id, credentials: { username: members.name, password } }
}
