/** The audit record: a chain of entries for each node, and the check of an export. */

export * from './audit-entry.ts'
export * from './audit-file.ts'
export * from './audit-head.ts'
export { canonicalJson } from './canonical-json.ts'
export * from './verify-audit.ts'
