import {
  OwnAuthenticatorPatch,
  OwnAuthenticatorWrite,
  type OwnAuthenticatorPatch as PatchBody,
} from '@countersign/contract'
import { AppError, checkPlainText } from '@countersign/core'
import { updateOwnAuthenticator } from '../../operations/authenticator/update-authenticator.ts'
import { AUTHENTICATOR_FILTER } from '../../store/filter-tables.ts'
import { notFound } from '../../store/not-found.ts'
import { findAuthenticator } from '../../store/reads/authenticator-reads.ts'
import { findIdentity, loadShownAuthenticators } from '../../store/reads/identity-reads.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import { onBothApis } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, done } from '../pipeline/envelope.ts'
import { listAnswer } from '../pipeline/list-answer.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { authenticatorView } from './authenticator-view.ts'
import { identityView } from './identity-view.ts'
import { digestNewPassword } from './new-password.ts'
import { equals } from './row-conditions.ts'

const AUTHENTICATORS = 'current-identity/authenticators'
const LINKS = { self: { href: './current-identity' }, mfa: { href: './current-identity/mfa' } }

/** The caller's own identity and its authenticators. No route here reaches another identity. */
export function currentIdentityRoutes(context: ControllerContext): Route[] {
  const { store, clock, logInWithPassword } = context
  const { now } = clock

  const ownAuthenticator = async (call: Call): Promise<AuthenticatorRow> => {
    const { id = '' } = call.params
    const row = await findAuthenticator(store.db, id, sessionOf(call).identity.id)
    if (!row) throw notFound('authenticator', id)
    return row
  }

  const changePassword = async (call: Call) => {
    const { id, method, password_digest: digest } = await ownAuthenticator(call)
    if (method !== 'updb') throw new AppError('CAN_NOT_UPDATE_AUTHENTICATOR')
    const { currentPassword, password, username } = call.body as PatchBody
    const { identity, policy } = sessionOf(call)
    const trial = { password: currentPassword, address: call.clientAddress, of: { identity, policy, digest } }
    if (!(await logInWithPassword.guard.isRight(trial))) {
      const reason = 'invalid current password'
      throw new AppError('UNAUTHORIZED', { field: 'currentPassword', reason, value: '' })
    }
    if (username) checkPlainText('username', username)
    const change = {
      id,
      username: username || undefined,
      passwordDigest: password ? await digestNewPassword(context, identity, password) : undefined,
    }
    await store.run(updateOwnAuthenticator, change, operationMeta(call, now()))
    return done()
  }

  return [
    {
      method: 'GET',
      paths: onBothApis('/current-identity'),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      handle: async (call) => {
        const {
          identity: { id },
          policy,
        } = sessionOf(call)
        const [identity, authenticatorsOf] = await Promise.all([
          findIdentity(store.db, id),
          loadShownAuthenticators(store.db, [id]),
        ])
        if (!identity) throw notFound('identity', id)
        const authenticators = authenticatorsOf(id)
        const view = identityView(identity, { policy, authenticators, hasApiSession: true, now: now() })
        return { status: 200, json: { data: { ...view, _links: LINKS }, meta: null } }
      },
    },
    {
      method: 'GET',
      paths: onBothApis(`/${AUTHENTICATORS}`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      handle: (call) => {
        const { identity } = sessionOf(call)
        const show = (rows: readonly AuthenticatorRow[]) =>
          rows.map((row) => authenticatorView(row, identity, AUTHENTICATORS))
        const within = { table: AUTHENTICATOR_FILTER, predicate: equals('identity', identity.id) }
        return listAnswer({ store, table: AUTHENTICATOR_FILTER, show, within }, call.query)
      },
    },
    {
      method: 'GET',
      paths: onBothApis(`/${AUTHENTICATORS}/:id`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      handle: async (call) => {
        return detail(authenticatorView(await ownAuthenticator(call), sessionOf(call).identity, AUTHENTICATORS))
      },
    },
    {
      method: 'PUT',
      paths: onBothApis(`/${AUTHENTICATORS}/:id`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: { schema: OwnAuthenticatorWrite, optional: false },
      handle: changePassword,
    },
    {
      method: 'PATCH',
      paths: onBothApis(`/${AUTHENTICATORS}/:id`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: { schema: OwnAuthenticatorPatch, optional: false },
      handle: changePassword,
    },
  ]
}
