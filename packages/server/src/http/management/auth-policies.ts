import {
  AuthPolicyPatch,
  AuthPolicyWrite,
  type AuthPolicyPatch as PatchBody,
  type AuthPolicyWrite as WriteBody,
} from '@countersign/contract'
import { newId } from '@countersign/core'
import type { ControllerContext } from '../../controller-context.ts'
import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import { AUTH_POLICY_FILTER } from '../../store/filter-tables.ts'
import { notFound } from '../../store/not-found.ts'
import { findAuthPolicy, withAllowedSigners } from '../../store/reads/auth-policy-reads.ts'
import type { AuthPolicyRow } from '../../store/schema.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { created, detail, done, selfLink, timestamp } from '../pipeline/envelope.ts'
import { listAnswer } from '../pipeline/list-answer.ts'
import type { Route } from '../pipeline/route.ts'
import { writeMeta } from '../pipeline/write-meta.ts'

const COLLECTION = [`${MANAGEMENT}/auth-policies`]
const ONE = [`${MANAGEMENT}/auth-policies/:id`]

const access = (action: 'create' | 'read' | 'update' | 'delete') => ({ entity: 'auth-policy', action }) as const

/** The management of authentication policies. */
export function authPolicyRoutes({ store, clock }: ControllerContext): Route[] {
  const { now } = clock
  return [
    {
      method: 'GET',
      paths: COLLECTION,
      access: access('read'),
      bodyCap: 'management',
      body: null,
      handle: ({ query }) => {
        const show = async (rows: readonly AuthPolicyRow[]) => {
          return (await withAllowedSigners(store.db, rows)).map(authPolicyView)
        }
        return listAnswer({ store, table: AUTH_POLICY_FILTER, show }, query)
      },
    },
    {
      method: 'POST',
      paths: COLLECTION,
      access: access('create'),
      bodyCap: 'management',
      body: { schema: AuthPolicyWrite, optional: false },
      handle: async (call) => {
        const id = newId()
        await store.write('authPolicy.create', { id, body: call.body as WriteBody }, writeMeta(call, now()))
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
        const policy = await findAuthPolicy(store.db, id)
        if (!policy) throw notFound('authPolicy', id)
        return detail(authPolicyView(policy))
      },
    },
    {
      method: 'PUT',
      paths: ONE,
      access: access('update'),
      bodyCap: 'management',
      body: { schema: AuthPolicyWrite, optional: false },
      handle: async (call) => {
        const { id = '' } = call.params
        await store.write('authPolicy.replace', { id, body: call.body as WriteBody }, writeMeta(call, now()))
        return done()
      },
    },
    {
      method: 'PATCH',
      paths: ONE,
      access: access('update'),
      bodyCap: 'management',
      body: { schema: AuthPolicyPatch, optional: false },
      handle: async (call) => {
        const { id = '' } = call.params
        await store.write('authPolicy.patch', { id, body: call.body as PatchBody }, writeMeta(call, now()))
        return done()
      },
    },
    {
      method: 'DELETE',
      paths: ONE,
      access: access('delete'),
      bodyCap: 'management',
      body: null,
      handle: async (call) => {
        await store.write('authPolicy.delete', { id: call.params.id ?? '' }, writeMeta(call, now()))
        return done()
      },
    },
  ]
}

/** A second signer is left out when there is none. */
function authPolicyView({ id, name, primary, secondary, tags, createdAt, updatedAt }: StoredAuthPolicy) {
  const { requireTotp, requireExtJwtSigner } = secondary
  return {
    _links: selfLink('auth-policies', id),
    id,
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(updatedAt),
    tags,
    name,
    primary,
    secondary: { requireTotp, ...(requireExtJwtSigner !== null && { requireExtJwtSigner }) },
  }
}
