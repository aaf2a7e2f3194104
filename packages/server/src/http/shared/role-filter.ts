import { fieldError, type Predicate } from '@countersign/core'
import type { Query } from '../pipeline/query.ts'
import { equals } from './row-conditions.ts'

const MAX_ROLES = 100
const SEMANTICS = { AllOf: 'and', AnyOf: 'or' } as const

/**
 * The condition of `roleFilter` and `roleSemantic`, or undefined without them: identities that have all or any of the attributes (`#name`), and
 * the identities with the given ids (`@id`). Throws COULD_NOT_VALIDATE for any other role.
 */
export function parseRoleFilter(query: Query): Predicate | undefined {
  const roles = query.all('roleFilter').filter((role) => role !== '')
  const semantic = query.get('roleSemantic') || 'AllOf'
  if (!Object.hasOwn(SEMANTICS, semantic)) {
    throw fieldError('roleSemantic', 'roleSemantic in query should be one of [AllOf AnyOf]', semantic)
  }
  if (roles.length === 0) return undefined
  if (roles.length > MAX_ROLES) throw fieldError('roleFilter', `at most ${MAX_ROLES} roles are allowed`, '')
  const attributes: Predicate[] = []
  const ids: Predicate[] = []
  for (const role of roles) {
    if (role.length > 1 && role.startsWith('#')) attributes.push(hasAttribute(role.slice(1)))
    else if (role.length > 1 && role.startsWith('@')) ids.push(equals('id', role.slice(1)))
    else throw fieldError('roleFilter', 'a role must be #attribute or @id', role)
  }
  if (attributes.length === 0) return { kind: 'or', terms: ids }
  return { kind: 'or', terms: [{ kind: SEMANTICS[semantic as 'AllOf'], terms: attributes }, ...ids] }
}

function hasAttribute(value: string): Predicate {
  return {
    kind: 'anyOf',
    set: 'attributes',
    test: { kind: 'equal', operand: { kind: 'element' }, value, negated: false },
  }
}
