/** SCIM: the users and groups that identity providers manage, and what they can discover. */
import { notFound } from '../../store/not-found.ts'
import { findSigner } from '../../store/reads/signer-reads.ts'
import { scimPath } from '../api-paths.ts'
import { type Route, scimCallerOf } from '../pipeline/route.ts'
import { discoveryRoutes, unsupportedRoutes } from './discovery.ts'
import { groupRoutes } from './groups.ts'
import type { ScimContext, ScimRouteParts } from './scim-parts.ts'
import { userRoutes } from './users.ts'

/** SCIM 2.0 (RFC 7643, RFC 7644): identity providers manage the users and groups of their signer. */
export function scimRoutes(parts: ScimRouteParts): Route[] {
  const { store, addresses } = parts
  const context: ScimContext = {
    signerOf: async (call) => {
      const { signerId } = scimCallerOf(call)
      const signer = await findSigner(store.db, signerId)
      if (!signer) throw notFound('externalJwtSigner', signerId)
      return signer
    },
    baseUrlOf: (call) => `https://${addresses()[0] ?? ''}${scimPath(scimCallerOf(call).signerId)}`,
  }
  return [
    ...discoveryRoutes(context),
    ...userRoutes(parts, context),
    ...groupRoutes(parts, context),
    ...unsupportedRoutes(),
  ]
}
