import { AUDIT_CONTENT, type AuditContent, instantText } from '@countersign/core'
import type { AuditRecord, SignedHead } from '../../events/audit-record.ts'
import type { AuditEntryRow } from '../../store/event-schema.ts'
import { AUDIT_ENTRY_FILTER } from '../../store/filter-tables.ts'
import type { Store } from '../../store/store.ts'
import type { DecisionRecorder } from '../../token/decision-recorder.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { timestamp } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'

const access = { entity: 'admin', action: 'read' } as const

interface AuditRouteParts {
  readonly store: Store
  readonly decisions: Pick<DecisionRecorder, 'settle'>
  readonly auditRecord: Pick<AuditRecord, 'settle' | 'heads' | 'keys'>
}

/** The record of changes and decisions, which the API can only read. */
export function auditRoutes({ store, decisions, auditRecord }: AuditRouteParts): Route[] {
  return [
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/audit-entries`],
      access,
      bodyCap: 'management',
      body: null,
      note: describe.list('AuditEntry', 'List the changes and decisions of the audit record'),
      handle: async (call) => {
        await decisions.settle()
        await auditRecord.settle()
        const show = (rows: readonly AuditEntryRow[]) => rows.map(entryView)
        return listResponse({ store, table: AUDIT_ENTRY_FILTER, show }, call)
      },
    },
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/audit-heads`],
      access,
      bodyCap: 'management',
      body: null,
      note: describe.wholeList('AuditHead', 'Get the signed heads of the audit record'),
      handle: async () => {
        await decisions.settle()
        const { heads, anchors } = await auditRecord.heads()
        const keys = await auditRecord.keys()
        return { status: 200, json: { data: heads.map(headView), meta: { keys, anchors: anchors.map(headView) } } }
      },
    },
  ]
}

function headView({ at, ...head }: SignedHead) {
  return { ...head, at: timestamp(at) }
}

/** One of another organization has only its place in the chain. */
function entryView(row: AuditEntryRow) {
  const content = row.scope === 'controller' ? contentOf(row) : undefined
  return {
    id: row.id,
    at: instantText(row.at),
    ...content,
    node: row.node,
    sequence: Number(row.sequence),
    previousHash: row.previous_hash,
    scope: row.scope,
    contentHash: row.content_hash,
    hash: row.hash,
  }
}

function contentOf({ content }: AuditEntryRow) {
  const members = JSON.parse(content) as AuditContent
  return Object.fromEntries(AUDIT_CONTENT.map((name) => [name, members[name]]))
}
