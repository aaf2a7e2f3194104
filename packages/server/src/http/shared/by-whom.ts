import type { ByWhom } from '../../operations/identity/touchable-identity.ts'
import type { Call } from '../pipeline/call.ts'
import { sessionOf } from '../pipeline/route.ts'

/** With what power a call writes. */
export function byWhom(call: Call): ByWhom {
  const { isAdmin, permissions } = sessionOf(call).identity
  return { byAdmin: isAdmin, byPermissions: permissions }
}
