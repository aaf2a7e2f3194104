import {
  AuthenticatorCreate,
  type AuthenticatorMethod,
  AuthenticatorPatch,
  type AuthenticatorCreate as CreateBody,
  type AuthenticatorPatch as PatchBody,
} from '@countersign/contract'
import {
  AppError,
  checkPlainText,
  fieldError,
  hasPowerOver,
  type JsonObject,
  newIdInOrder,
  readTags,
  type Tags,
} from '@countersign/core'
import {
  createCertificateAuthenticator,
  createPasswordAuthenticator,
} from '../../operations/authenticator/create-authenticator.ts'
import { deleteAuthenticator } from '../../operations/authenticator/delete-authenticator.ts'
import { updateAuthenticator } from '../../operations/authenticator/update-authenticator.ts'
import { AUTHENTICATOR_FILTER } from '../../store/filter-tables.ts'
import { notFound } from '../../store/not-found.ts'
import { findAuthenticator } from '../../store/reads/authenticator-reads.ts'
import { findIdentity, loadIdentityNames } from '../../store/reads/identity-reads.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { created, detail, done, withVersion } from '../pipeline/envelope.ts'
import { listAnswer } from '../pipeline/list-answer.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { authenticatorView } from '../shared/authenticator-view.ts'
import { digestNewPassword } from '../shared/new-password.ts'
import { equals } from '../shared/row-conditions.ts'
import { readNewCertificate } from './new-certificate.ts'

const COLLECTION = [`${MANAGEMENT}/authenticators`]
const ONE = [`${MANAGEMENT}/authenticators/:id`]

interface NewAuthenticator {
  readonly id: string
  readonly identityId: string
  readonly tags: Tags
}

const access = (action: 'create' | 'read' | 'update' | 'delete') => {
  return { entity: 'authenticator', action, orAllOf: 'identity' } as const
}

/** What identities sign in with. JWTs leave no authenticator behind. */
export function authenticatorRoutes(context: ControllerContext): Route[] {
  const { store, clock } = context
  const { now } = clock

  const show = async (rows: readonly AuthenticatorRow[]) => {
    const identities = await loadIdentityNames(
      store.db,
      rows.map((row) => row.identity_id),
    )
    return rows.flatMap((row) => {
      const identity = identities.get(row.identity_id)
      return identity ? [authenticatorView(row, identity, 'authenticators')] : []
    })
  }

  /** Asked before the slow digesting; the transaction asks again. */
  const touchableIdentity = async (call: Call, identityId: string) => {
    const identity = await findIdentity(store.db, identityId)
    if (!identity) throw notFound('identity', identityId)
    if (!hasPowerOver(sessionOf(call).identity, identity)) throw new AppError('UNAUTHORIZED')
    return identity
  }

  const update = (isWhole: boolean) => async (call: Call) => {
    const { id = '' } = call.params
    const { username, password, certPem, tags } = call.body as PatchBody
    const row = await findAuthenticator(store.db, id)
    if (!row) throw notFound('authenticator', id)
    const identity = await touchableIdentity(call, row.identity_id)
    // A certificate is renewed by its holder, who alone has the key of the next one.
    if (certPem && certPem !== row.cert_pem) throw new AppError('CAN_NOT_UPDATE_AUTHENTICATOR')
    if (isWhole && row.method === 'updb') checkPasswordMembers(call.body as PatchBody)
    if (username) checkPlainText('username', username)
    const change = {
      id,
      username: username || undefined,
      passwordDigest: password ? await digestNewPassword(context, identity, password) : undefined,
      tags: tags && readTags('tags', tags as JsonObject),
    }
    await store.run(updateAuthenticator, change, operationMeta(call, now()))
    return done()
  }

  const create: Record<AuthenticatorMethod, (call: Call, made: NewAuthenticator, body: CreateBody) => Promise<void>> = {
    updb: async (call, made, body) => {
      const { username, password } = checkPasswordMembers(body)
      checkPlainText('username', username)
      const identity = await touchableIdentity(call, made.identityId)
      const args = { ...made, username, passwordDigest: await digestNewPassword(context, identity, password) }
      await store.run(createPasswordAuthenticator, args, operationMeta(call, now()))
    },
    cert: async (call, made, { certPem }) => {
      if (!certPem) throw fieldError('certPem', 'certPem in body is required', undefined)
      await touchableIdentity(call, made.identityId)
      const args = { ...made, ...readNewCertificate(context, certPem) }
      await store.run(createCertificateAuthenticator, args, operationMeta(call, now()))
    },
  }

  return [
    {
      method: 'GET',
      paths: COLLECTION,
      access: access('read'),
      bodyCap: 'management',
      body: null,
      handle: ({ query }) => listAnswer({ store, table: AUTHENTICATOR_FILTER, show }, query),
    },
    {
      method: 'POST',
      paths: COLLECTION,
      access: access('create'),
      bodyCap: 'management',
      body: { schema: AuthenticatorCreate, optional: false, parameter: 'authenticator' },
      handle: async (call) => {
        const body = call.body as CreateBody
        const id = newIdInOrder(clock.now())
        const tags = readTags('tags', (body.tags ?? {}) as JsonObject)
        await create[body.method](call, { id, identityId: body.identityId, tags }, body)
        return created(call.collection, id)
      },
    },
    {
      method: 'GET',
      paths: ONE,
      access: access('read'),
      bodyCap: 'management',
      body: null,
      handle: async ({ params: { id = '' } }) => {
        const row = await findAuthenticator(store.db, id)
        const [shown] = await show(row ? [row] : [])
        if (!row || !shown) throw notFound('authenticator', id)
        return withVersion(detail(shown), row.updated_at)
      },
    },
    {
      method: 'PUT',
      paths: ONE,
      access: access('update'),
      bodyCap: 'management',
      body: { schema: AuthenticatorPatch, optional: false, parameter: 'authenticator' },
      handle: update(true),
    },
    {
      method: 'PATCH',
      paths: ONE,
      access: access('update'),
      bodyCap: 'management',
      body: { schema: AuthenticatorPatch, optional: false, parameter: 'authenticator' },
      handle: update(false),
    },
    {
      method: 'DELETE',
      paths: ONE,
      access: access('delete'),
      bodyCap: 'management',
      body: null,
      handle: async (call) => {
        const { id = '' } = call.params
        await store.run(deleteAuthenticator, { id }, operationMeta(call, now()))
        return done()
      },
    },
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/identities/:id/authenticators`],
      access: { entity: 'identity', action: 'read' },
      bodyCap: 'management',
      body: null,
      handle: async ({ params: { id = '' }, query }) => {
        if (!(await findIdentity(store.db, id))) throw notFound('identity', id)
        const within = { table: AUTHENTICATOR_FILTER, predicate: equals('identity', id) }
        return listAnswer({ store, table: AUTHENTICATOR_FILTER, show, within }, query)
      },
    },
  ]
}

function checkPasswordMembers({ username, password }: Pick<CreateBody, 'username' | 'password'>) {
  if (!username) throw fieldError('username', 'username in body is required', undefined)
  if (!password) throw fieldError('password', 'password in body is required', undefined)
  return { username, password }
}
