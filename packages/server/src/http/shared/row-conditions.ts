import { PERMISSIONS } from '@countersign/contract'
import { hasAllPermissionsOf, type PermissionHolder, type Predicate, readsEverything } from '@countersign/core'

export function equals(symbol: string, value: string): Predicate {
  const operand = { kind: 'symbol', symbol, type: 'string' } as const
  return { kind: 'comparison', comparison: { kind: 'equal', operand, value, negated: false } }
}

export function laterThan(symbol: string, instant: number): Predicate {
  const operand = { kind: 'symbol', symbol, type: 'datetime' } as const
  return { kind: 'comparison', comparison: { kind: 'order', operator: '>', operand, value: instant, negated: false } }
}

export function isTrue(symbol: string, value: boolean): Predicate {
  const operand = { kind: 'symbol', symbol, type: 'bool' } as const
  return { kind: 'comparison', comparison: { kind: 'equal', operand, value, negated: false } }
}

function lacks(symbol: string, text: string): Predicate {
  const operand = { kind: 'symbol', symbol, type: 'string' } as const
  return { kind: 'comparison', comparison: { kind: 'contains', operand, text, ignoreCase: false, negated: true } }
}

/** The identities whose enrollments the holder may see: `maySeeEnrollments` as a condition. Permissions are stored as a JSON array. */
export function withSeenEnrollments(
  holder: PermissionHolder,
  { isAdmin, permissions }: { readonly isAdmin: string; readonly permissions: string },
): Predicate {
  if (readsEverything(holder)) return { kind: 'constant', value: true }
  const beyond = PERMISSIONS.filter((held) => !hasAllPermissionsOf(holder, { isAdmin: false, permissions: [held] }))
  return { kind: 'and', terms: [isTrue(isAdmin, false), ...beyond.map((held) => lacks(permissions, `"${held}"`))] }
}
