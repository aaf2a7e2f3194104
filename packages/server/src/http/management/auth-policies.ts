import {
  AUTH_POLICY,
  AuthPolicyPatch,
  AuthPolicyWrite,
  type AuthPolicyPatch as PatchBody,
  type AuthPolicyWrite as WriteBody,
} from '@countersign/contract'
import { createAuthPolicy } from '../../operations/auth-policy/create-auth-policy.ts'
import { deleteAuthPolicy } from '../../operations/auth-policy/delete-auth-policy.ts'
import { patchAuthPolicy, replaceAuthPolicy } from '../../operations/auth-policy/update-auth-policy.ts'
import type { Clock } from '../../platform/clock.ts'
import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import { AUTH_POLICY_FILTER } from '../../store/filter-tables.ts'
import { notFound } from '../../store/not-found.ts'
import { findAuthPolicy, withAllowedSigners } from '../../store/reads/auth-policy-reads.ts'
import type { AuthPolicyRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, selfLink, timestamp, withVersion } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import { slowOperationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { createMemberView } from '../shared/member-view.ts'
import { resourceRoutes } from './resource-routes.ts'

interface AuthPolicyRouteParts {
  readonly store: Store
  readonly clock: Clock
}

/** The management of authentication policies. */
export function authPolicyRoutes({ store, clock }: AuthPolicyRouteParts): Route[] {
  const meta = (call: Call) => slowOperationMeta(call, clock.now())
  return resourceRoutes<WriteBody, PatchBody>(clock, {
    names: ['auth-policies'],
    entity: 'auth-policy',
    words: { schema: 'AuthPolicy', noun: 'an authentication policy', plural: 'authentication policies' },
    writeSchema: AuthPolicyWrite,
    patchSchema: AuthPolicyPatch,
    list: (call) => {
      const show = async (rows: readonly AuthPolicyRow[]) => {
        return (await withAllowedSigners(store.db, rows)).map(authPolicyView)
      }
      return listResponse({ store, table: AUTH_POLICY_FILTER, show }, call)
    },
    get: async (_call, id) => {
      const policy = await findAuthPolicy(store.db, id)
      if (!policy) throw notFound('authPolicy', id)
      return withVersion(detail(authPolicyView(policy)), policy.updatedAt)
    },
    create: (call, id, body) => store.run(createAuthPolicy, { id, body }, meta(call)),
    replace: (call, id, body) => store.run(replaceAuthPolicy, { id, body }, meta(call)),
    patch: (call, id, body) => store.run(patchAuthPolicy, { id, body }, meta(call)),
    remove: (call, id) => store.run(deleteAuthPolicy, { id }, meta(call)),
  })
}

const viewMembers = createMemberView<StoredAuthPolicy>(AUTH_POLICY.members)

function authPolicyView(policy: StoredAuthPolicy) {
  return {
    _links: selfLink('auth-policies', policy.id),
    id: policy.id,
    createdAt: timestamp(policy.createdAt),
    updatedAt: timestamp(policy.updatedAt),
    tags: policy.tags,
    ...viewMembers(policy),
  }
}
