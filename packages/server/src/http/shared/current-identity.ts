import {
  OwnAuthenticatorPatch,
  OwnAuthenticatorWrite,
  type OwnAuthenticatorPatch as PatchBody,
} from '@countersign/contract'
import { changeOwnPassword } from '../../login/change-own-password.ts'
import type { PasswordLogin } from '../../login/password-login.ts'
import type { Clock } from '../../platform/clock.ts'
import { AUTHENTICATOR_FILTER } from '../../store/filter-tables.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { notFound } from '../../store/not-found.ts'
import { findAuthenticator } from '../../store/reads/authenticator-reads.ts'
import { findIdentity, loadAuthenticatorSummaries, loadIdentityLogins } from '../../store/reads/identity-reads.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import type { KnownPolicies } from '../../token/known-policies.ts'
import { onBothApis } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, done } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { authenticatorView } from './authenticator-view.ts'
import { identityView } from './identity-view.ts'
import { digestNewPassword, type NewPasswordParts } from './new-password.ts'
import { equals } from './row-conditions.ts'

interface CurrentIdentityRouteParts extends NewPasswordParts {
  readonly store: Store
  readonly clock: Clock
  /** A session keeps the old name of its policy. */
  readonly policies: Pick<KnownPolicies, 'find'>
  readonly passwordLogin: Pick<PasswordLogin, 'check' | 'passwords'>
}

const AUTHENTICATORS = 'current-identity/authenticators'
const LINKS = { self: { href: './current-identity' }, mfa: { href: './current-identity/mfa' } }

/** The caller's own identity and its authenticators. No route here reaches another identity. */
export function currentIdentityRoutes(parts: CurrentIdentityRouteParts): Route[] {
  const { store, clock, policies, passwordLogin } = parts

  const ownAuthenticator = async (call: Call): Promise<AuthenticatorRow> => {
    const { id = '' } = call.params
    const row = await findAuthenticator(store.db, id, sessionOf(call).identity.id)
    if (!row) throw notFound('authenticator', id)
    return row
  }

  const passwordParts = {
    store,
    passwordLogin,
    digestNewPassword: (identity: StoredIdentity, password: string) => digestNewPassword(parts, identity, password),
  }
  const changePassword = async (call: Call) => {
    const { id: authenticatorId = '' } = call.params
    const { clientAddress } = call
    const change = { session: sessionOf(call), authenticatorId, clientAddress, body: call.body as PatchBody }
    await changeOwnPassword(passwordParts, change, operationMeta(call, clock.now()))
    return done()
  }

  return [
    {
      method: 'GET',
      paths: onBothApis('/current-identity'),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.one('Identity', 'Get the caller’s identity'),
      handle: async (call) => {
        const {
          identity: { id },
          policy,
        } = sessionOf(call)
        const now = clock.now()
        const [identity, current, authenticatorsOf, loginsOf] = await Promise.all([
          findIdentity(store.db, id),
          policies.find(policy.id),
          loadAuthenticatorSummaries(store.db, [id]),
          loadIdentityLogins(store.db, [id], now),
        ])
        if (!identity) throw notFound('identity', id)
        const authenticators = authenticatorsOf(id)
        const view = identityView(identity, {
          policy: current ?? policy,
          authenticators,
          logins: { ...loginsOf(id), hasApiSession: true },
          now,
        })
        return { status: 200, json: { data: { ...view, _links: LINKS }, meta: null } }
      },
    },
    {
      method: 'GET',
      paths: onBothApis(`/${AUTHENTICATORS}`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.list('Authenticator', 'List the caller’s authenticators'),
      handle: (call) => {
        const { identity } = sessionOf(call)
        const show = (rows: readonly AuthenticatorRow[]) =>
          rows.map((row) => authenticatorView(row, identity, AUTHENTICATORS))
        const within = { table: AUTHENTICATOR_FILTER, predicate: equals('identity', identity.id) }
        return listResponse({ store, table: AUTHENTICATOR_FILTER, show, within }, call)
      },
    },
    {
      method: 'GET',
      paths: onBothApis(`/${AUTHENTICATORS}/:id`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.one('Authenticator', 'Get one of the caller’s authenticators'),
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
      changesOwn: true,
      note: describe.done('Change the caller’s user name and password'),
      handle: changePassword,
    },
    {
      method: 'PATCH',
      paths: onBothApis(`/${AUTHENTICATORS}/:id`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: { schema: OwnAuthenticatorPatch, optional: false },
      changesOwn: true,
      note: describe.done('Change the caller’s password'),
      handle: changePassword,
    },
  ]
}
