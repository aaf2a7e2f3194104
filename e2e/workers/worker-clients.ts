import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import type { ControllerResponse, ReadyController } from '@countersign/testkit'

export const MANAGEMENT = '/edge/management/v1'
export const LOGIN = `${MANAGEMENT}/authenticate?method=password`
export const IDENTITIES = `${MANAGEMENT}/identities`
export const OWN_SESSION = `${MANAGEMENT}/current-api-session`

/** Longer than any operation takes. */
const LIMIT_MS = 30_000

/** A client with one kept-alive connection, and therefore one worker, until that closes it. */
export interface OneConnection {
  request(
    method: string,
    path: string,
    options?: { session?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<ControllerResponse>
  close(): void
}

/** Connections are distributed round-robin, so that at least as many as there are workers reach all of them. */
export function openConnections(controller: ReadyController, count: number): OneConnection[] {
  return Array.from({ length: count }, () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    return {
      request: (method, path, options = {}) => controller.request(method, path, { ...options, agent }),
      close: () => agent.destroy(),
    }
  })
}

/** Process ids of the workers, from the operating system. */
export function workersOf({ pid }: ReadyController): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

export async function until(isTrue: () => boolean | Promise<boolean>, what: string, limitMs = LIMIT_MS): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isTrue())) {
    assert.ok(performance.now() < deadline, `timed out waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Creates an identity with a password. Returns its id and credentials. */
export async function makePerson(
  controller: ReadyController,
  session: string,
  members: Readonly<Record<string, unknown>> & { readonly name: string },
) {
  const password = `the password of ${members.name}`
  const created = await controller.request('POST', IDENTITIES, {
    session,
    body: { type: 'User', isAdmin: false, ...members },
  })
  assert.equal(created.status, 201, created.text)
  const id = String(created.json.data.id)
  const withPassword = await controller.request('POST', `${MANAGEMENT}/authenticators`, {
    session,
    body: { method: 'updb', identityId: id, username: members.name, password },
  })
  assert.equal(withPassword.status, 201, withPassword.text)
  return { id, credentials: { username: members.name, password } }
}
