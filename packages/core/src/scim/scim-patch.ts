import { foldAscii } from '../filter/filter.ts'
import { isJsonObject, type JsonValue } from '../json/json-value.ts'
import { scimError } from './scim-error.ts'
import { parseScimPath, type ScimPath } from './scim-filter.ts'
import { isOwnSchema, readScimMembers, readScimValues } from './scim-members.ts'
import { SCIM_LIMITS } from './scim-schemas.ts'

export const SCIM_PATCH_OPS = ['add', 'replace', 'remove'] as const
export type ScimPatchOp = (typeof SCIM_PATCH_OPS)[number]

/** One target of an operation. An operation without a path has one for each member of its value. */
export interface ScimTarget {
  readonly op: ScimPatchOp
  readonly path: ScimPath
  readonly value: JsonValue | undefined
}

/**
 * Reads the body of a PATCH (RFC 7644, section 3.5.2) in the forms that are in use: names of operations in any case (Entra), operations without a
 * path or with a core schema as path, and members of their value that are paths themselves (Entra).
 */
export function readScimPatch(body: JsonValue | undefined): ScimTarget[] {
  const operations = readScimValues(readScimMembers(body).get('operations'))
  if (operations.length === 0) throw scimError('invalidSyntax', 'Operations is required')
  if (operations.length > SCIM_LIMITS.maxOperations) throw scimError('tooMany', 'there are too many operations')
  const targets = operations.flatMap(readOperation)
  if (targets.length > SCIM_LIMITS.maxMembers) throw scimError('tooMany', 'the operations have too many values')
  return targets
}

/** Only the server sets them. Agents repeat them in values without a path, where they are ignored: Okta sends the `id` with a new name. */
const READ_ONLY: ReadonlySet<string> = new Set(['id', 'meta', 'groups'])

/** The refusal of an operation that would remove what every user or group has (RFC 7644, section 3.5.2.2). */
export const requiredError = (attribute: string) =>
  scimError('mutability', `${attribute} is required and cannot be removed`)

function readPath(op: ScimPatchOp, text: string): ScimPath {
  const path = parseScimPath(text)
  if (READ_ONLY.has(path.attribute)) throw scimError('mutability', `${path.attribute} cannot be changed`)
  if (op === 'remove' && path.attribute === 'username') throw requiredError('userName')
  return path
}

function readOperation(operation: JsonValue): ScimTarget[] {
  const members = readScimMembers(operation)
  const [name, target, value] = ['op', 'path', 'value'].map((member) => members.get(member))
  const path = typeof target === 'string' && isOwnSchema(target) ? undefined : target
  const op = SCIM_PATCH_OPS.find((known) => typeof name === 'string' && foldAscii(name) === known)
  if (!op) throw scimError('invalidSyntax', `op must be one of ${SCIM_PATCH_OPS.join(', ')}`)
  if (typeof path === 'string' && path !== '') return [{ op, path: readPath(op, path), value }]
  if (path !== undefined && path !== null && path !== '') throw scimError('invalidPath', 'path must be a string')
  if (op === 'remove') throw scimError('noTarget', 'an operation that removes needs a path')
  if (!isJsonObject(value)) throw scimError('invalidValue', 'an operation without a path needs an object as its value')
  return [...readScimMembers(value)].map(([attribute, inner]) => ({ op, path: parseScimPath(attribute), value: inner }))
}
