import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { PERMISSIONS, type Permission } from '@countersign/contract'
import type { Route } from '../../src/http/pipeline/route.ts'
import { isHostedRoute } from '../hosted/is-hosted-route.ts'
import type { TestApp } from './build-app.ts'
import { testWithApp } from './ext-jwt-signers.fixture.ts'
import {
  LOGIN_CHANGES,
  type LoginChange,
  type LoginState,
  loadLoginState,
  makeTarget,
  OTHER_CALLS,
} from './login-changes.fixture.ts'

const PAGE = new URL('../../../../docs/permissions.md', import.meta.url)
const TABLE_HEAD = '| call | permissions | to an identity without rights | to an administrator |'

/** What a call did to the logins of a target. */
type Effect = 'changed' | 'lost a signer' | 'none'

/** By call and permission. */
type Effects = Map<string, Map<Permission, Set<Effect>>>

function effectOf(before: LoginState, after: LoginState): Effect {
  const isKnown = (signer: unknown) => before.signers.some((known) => isDeepStrictEqual(known, signer))
  if (!isDeepStrictEqual(after.rows, before.rows) || !after.signers.every(isKnown)) return 'changed'
  return after.signers.length < before.signers.length ? 'lost a signer' : 'none'
}

/** Makes calls against a target, which is replaced when a call had an effect. */
async function createSubject(app: TestApp, isAdmin: boolean) {
  const makeState = async () => {
    const target = await makeTarget(app, isAdmin)
    return { target, state: await loadLoginState(app, target) }
  }
  let current = await makeState()
  const send = ({ call, id, body }: LoginChange, session: string) => {
    const [method = '', path = ''] = call.split(' ')
    const { passkeyId } = current.target
    const address = path.replace(':id', id?.(current.target) ?? '').replace(':passkeyId', passkeyId)
    return app.call(method, address, body?.(app, current.target), { session })
  }
  return {
    async make(change: LoginChange, session: string): Promise<Effect> {
      if ((await send(change, session)).status >= 400) return 'none'
      const effect = effectOf(current.state, await loadLoginState(app, current.target))
      if (effect !== 'none') current = await makeState()
      return effect
    },
    /** Fails when a refused call changed something. */
    async checkUnchanged(): Promise<void> {
      assert.deepEqual(await loadLoginState(app, current.target), current.state)
    },
  }
}

/** Makes every change with every permission alone. */
async function loadEffects(app: TestApp, isAdmin: boolean): Promise<Effects> {
  const subject = await createSubject(app, isAdmin)
  const effects: Effects = new Map()
  for (const permission of PERMISSIONS) {
    const { session } = await app.makeIdentity({ permissions: [permission] })
    for (const change of LOGIN_CHANGES) {
      const effect = await subject.make(change, session)
      if (effect === 'none') continue
      const ofCall = effects.get(change.call) ?? new Map()
      effects.set(change.call, ofCall.set(permission, (ofCall.get(permission) ?? new Set()).add(effect)))
    }
    await subject.checkUnchanged()
  }
  return effects
}

function buildTable(calls: readonly string[], plain: Effects, admin: Effects): string {
  const lines = calls.flatMap((call) => {
    const permissions = [...(plain.get(call)?.keys() ?? [])].map((name) => `\`${name}\``).join(' ')
    const cells = [
      `\`${call.replace('/edge/management/v1', '')}\``,
      permissions,
      describe(plain, call),
      describe(admin, call),
    ]
    return permissions === '' ? [] : [`| ${cells.join(' | ')} |`]
  })
  return [TABLE_HEAD, '| --- | --- | --- | --- |', ...lines].join('\n')
}

function describe(effects: Effects, call: string): string {
  const found = new Set([...(effects.get(call)?.values() ?? [])].flatMap((of) => [...of]))
  return [...found].toSorted().join(', ') || 'nothing'
}

function callsByPermission(routes: readonly Route[]): string[] {
  return routes
    .filter((route) => route.method !== 'GET' && typeof route.access === 'object' && !isHostedRoute(route))
    .flatMap(({ method, paths }) => paths.map((path) => `${method} ${path}`))
}

testWithApp('D35 N-03 N-04 no permission leads to the login of an administrator, by any call', async (t, app) => {
  const calls = callsByPermission(app.controller.http.routes)

  await t.test('every call that takes a permission is listed', () => {
    const listed = new Set([...LOGIN_CHANGES.map(({ call }) => call), ...Object.keys(OTHER_CALLS)])
    assert.deepEqual(calls.toSorted(), [...listed].toSorted())
  })

  await t.test('an administrator makes each of the changes', async () => {
    const subject = await createSubject(app, true)
    for (const change of LOGIN_CHANGES) {
      assert.notEqual(await subject.make(change, app.adminSession), 'none', `${change.call}: ${change.what}`)
    }
  })

  await t.test(
    'a permission changes logins of identities without rights, and only takes signers from administrators',
    async () => {
      const plain = await loadEffects(app, false)
      const admin = await loadEffects(app, true)
      assert.deepEqual(
        LOGIN_CHANGES.filter(({ call }) => !plain.has(call)),
        [],
      )
      for (const [call, byPermission] of admin) {
        for (const [permission, effects] of byPermission) {
          assert.deepEqual([...effects], ['lost a signer'], `${permission}: ${call}`)
        }
      }
      const page = readFileSync(PAGE, 'utf8')
      const table = buildTable(calls, plain, admin)
      assert.equal(
        page.slice(page.indexOf(TABLE_HEAD)).trimEnd(),
        table,
        'put this table at the end of docs/permissions.md',
      )
    },
  )
})
