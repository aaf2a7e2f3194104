import assert from 'node:assert/strict'
import { totpCode, totpStep } from '@countersign/core'
import { readProvisioningSecret } from '@countersign/testkit'
import type { Reply, TestApp } from './build-app.ts'
import { createIdentity, createPassword } from './identities.fixture.ts'

export const CLIENT = '/edge/client/v1'
export const MFA = `${CLIENT}/current-identity/mfa`
export const AUTHENTICATE_MFA = `${CLIENT}/authenticate/mfa`
export const SELF = `${CLIENT}/current-identity`
export const OWN_SESSION = `${CLIENT}/current-api-session`
export const STEP_MS = 30_000

/** Creates an identity with a password and a first session. */
export async function makeUser(app: TestApp, members: Record<string, unknown> = {}) {
  const id = await createIdentity(app, members)
  const { username, password } = await createPassword(app, id)
  const logIn = () => app.logIn(username, password)
  return { id, username, password, logIn, session: await logIn() }
}

export interface Device {
  readonly id: string
  readonly url: string
  readonly recoveryCodes: readonly string[]
  /** The current code of the device, or the one some steps later. */
  code(steps?: number): string
  /** A code that no device shows. */
  wrongCode(): string
}

/** Begins an enrollment and loads its secret into a device. */
export async function startTotp(app: TestApp, session: string): Promise<Device> {
  const started = await app.call('POST', MFA, undefined, { session })
  assert.equal(started.status, 201, started.text)
  const shown = await app.call('GET', MFA, undefined, { session })
  assert.equal(shown.status, 200, shown.text)
  const { provisioningUrl: url, recoveryCodes } = shown.json.data
  const secret = readProvisioningSecret(url)
  const code = (steps = 0) => totpCode(secret, totpStep(app.clock.now()) + steps)
  const wrongCode = () => {
    const shownSoon = new Set([-3, -2, -1, 0, 1, 2, 3].map(code))
    return ['000000', '111111', '222222', '333333', '444444', '555555', '666666', '777777'].find(
      (candidate) => !shownSoon.has(candidate),
    ) as string
  }
  return { id: started.json.data.id, url, recoveryCodes, code, wrongCode }
}

/** Enrolls one-time codes and verifies them in this session. */
export async function enrollTotp(app: TestApp, session: string): Promise<Device> {
  const device = await startTotp(app, session)
  const verified = await app.call('POST', `${MFA}/verify`, { code: device.code() }, { session })
  assert.equal(verified.status, 200, verified.text)
  return device
}

export function submitCode(app: TestApp, session: string, code: string): Promise<Reply> {
  return app.call('POST', AUTHENTICATE_MFA, { code }, { session })
}

/** Returns `200`, or status and code of an error. */
export function statusAndCode(reply: Reply): string {
  return reply.json?.error ? `${reply.status} ${reply.json.error.code}` : String(reply.status)
}

/** Counts each result. */
export function tally(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const reply of replies) counts[statusAndCode(reply)] = (counts[statusAndCode(reply)] ?? 0) + 1
  return counts
}
