import { hash } from 'node:crypto'
import type { AdministrationKind } from '@countersign/contract'
import { administrationSecret } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { ChangedEntity } from './change.ts'
import type { IdentityProviderRow } from './hosted-schema.ts'
import { readJsonColumn } from './json-column.ts'
import { findJob } from './reads/account-job-reads.ts'
import { findAuthPolicy } from './reads/auth-policy-reads.ts'
import { findAuthenticator } from './reads/authenticator-reads.ts'
import { findCa } from './reads/ca-reads.ts'
import { findEnrollment } from './reads/enrollment-reads.ts'
import { findIdentity } from './reads/identity-reads.ts'
import { findSigner } from './reads/signer-reads.ts'
import type { Database } from './schema.ts'

/** The state of an entity before or after an operation. */
export interface RecordedState {
  /** JSON without secrets. */
  readonly text: string
  /** SHA-256 of the whole row, so that a changed secret is visible too. */
  readonly hash: string
  /** Sealed secrets that the text does not have, by the name of the member. */
  readonly sealed: Readonly<Record<string, string | null>>
  readonly updatedAt: number
  /** The organization that a record of the hosted API belongs to; undefined for other entities. */
  readonly organizationId: string | undefined
}

type Db = Kysely<Database>
type Shown = { readonly updatedAt: number }
type LoadState = (db: Db, id: string) => Promise<LoadedState | undefined>

interface LoadedState extends Partial<Pick<RecordedState, 'organizationId' | 'sealed'>> {
  readonly shown: Shown
  /** Set where `shown` leaves part of it out. */
  readonly row?: unknown
}

/** Sessions are not recorded: a login changes no settings. */
const RECORDED: Readonly<Partial<Record<ChangedEntity, LoadState>>> = {
  externalJwtSigners: async (db, id) => {
    const signer = await findSigner(db, id)
    if (!signer) return undefined
    // The name that consumers of events expect.
    const { claimsProperty: identityIdClaimsSelector, certificate, ...fields } = signer
    return { shown: { ...fields, identityIdClaimsSelector, ...certificate } }
  },
  cas: async (db, id) => shown(await findCa(db, id)),
  authPolicies: async (db, id) => shown(await findAuthPolicy(db, id)),
  identities: async (db, id) => {
    const identity = await findIdentity(db, id)
    if (!identity) return undefined
    const { defaultHostingCost, defaultHostingPrecedence, ...others } = identity
    const { serviceHostingCosts, serviceHostingPrecedences, ...fields } = others
    const costs = { defaultHostingCost, defaultHostingPrecedence, serviceHostingCosts, serviceHostingPrecedences }
    // Consumers of events expect these under one name.
    return { shown: { ...fields, hosting: costs } }
  },
  authenticators: async (db, id) => {
    const row = await findAuthenticator(db, id)
    if (!row) return undefined
    const { identity_id: identityId, method, username, cert_pem: certPem, fingerprint } = row
    const times = { createdAt: row.created_at, updatedAt: row.updated_at }
    const tags = readJsonColumn(row.tags)
    return { shown: { id, identityId, method, username, certPem, fingerprint, tags, ...times }, row }
  },
  passkeys: async (db, id) => {
    const row = await db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) return undefined
    const { identity_id: identityId, name, rp_id: rpId, aaguid, created_at: createdAt, updated_at: updatedAt } = row
    return { shown: { id, identityId, name, rpId, aaguid, createdAt, updatedAt }, row }
  },
  enrollments: async (db, id) => {
    const row = await findEnrollment(db, id)
    if (!row) return undefined
    const { identity_id: identityId, method, username, expires_at: expiresAt } = row
    const times = { createdAt: row.created_at, updatedAt: row.updated_at }
    return { shown: { id, identityId, method, username, expiresAt, tags: readJsonColumn(row.tags), ...times }, row }
  },
  revocations: async (db, id) => {
    const row = await db.selectFrom('revocations').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) return undefined
    const { type, expires_at: expiresAt, created_at: createdAt, updated_at: updatedAt } = row
    return { shown: { id, type, expiresAt, tags: readJsonColumn(row.tags), createdAt, updatedAt } }
  },
  scimTokens: async (db, id) => {
    const row = await db.selectFrom('scim_tokens').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) return undefined
    const { signer_id: signerId, created_by_id: createdById, created_at: createdAt, updated_at: updatedAt } = row
    return { shown: { id, signerId, createdById, createdAt, updatedAt }, row }
  },
  scimGroups: async (db, id) => {
    const row = await db.selectFrom('scim_groups').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) return undefined
    const { signer_id: signerId, display_name: displayName, external_id: externalId, attribute } = row
    const times = { createdAt: row.created_at, updatedAt: row.updated_at }
    return { shown: { id, signerId, displayName, externalId, attribute, ...times } }
  },
  organizations: (db, id) => hostedState(db, 'organizations', id),
  identityProviders: async (db, id) => {
    const state = await hostedState(db, 'identity_providers', id)
    return state && { ...state, sealed: sealedOf(state.row as IdentityProviderRow) }
  },
  networks: (db, id) => hostedState(db, 'networks', id),
  apiAccounts: (db, id) => hostedState(db, 'api_accounts', id),
  accountJobs: async (db, id) => {
    const row = await findJob(db, id)
    if (!row) return undefined
    const { account_name: name, kind, state, client_id: clientId, error, organization_id: organizationId } = row
    const times = { createdAt: row.created_at, updatedAt: row.updated_at }
    return { shown: { id, name, kind, state, clientId, error, ...times }, row, organizationId }
  },
}

type HostedTable = 'organizations' | 'identity_providers' | 'networks' | 'api_accounts'

const SEALED = 'administration_secret'

async function hostedState(db: Db, table: HostedTable, id: string) {
  const row = await db.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) return undefined
  const fields = Object.entries(row).filter(([column]) => column !== SEALED)
  const named = Object.fromEntries(fields.map(([column, value]) => [memberName(column), value]))
  const { organization_id: organizationId = id } = row as { readonly organization_id?: string }
  return { shown: { ...named, updatedAt: row.updated_at }, row, organizationId }
}

/** The secret of an administration, under the name that requests give it. */
function sealedOf({ administration, administration_secret: sealed }: IdentityProviderRow) {
  const { kind = 'rfc7591' } =
    administration === null ? {} : readJsonColumn<{ kind?: AdministrationKind }>(administration)
  const member = administrationSecret(kind)
  return member === undefined ? {} : { [`administration.${member}`]: sealed }
}

/** Converts `network_group_id` to `networkGroupId`. */
function memberName(column: string): string {
  return column.replace(/_[a-z]/g, (letter) => letter.charAt(1).toUpperCase())
}

function shown(entity: Shown | undefined) {
  return entity && { shown: entity }
}

/** Whether the states of such an entity are recorded with its changes. */
export function isRecordedEntity(entity: ChangedEntity): boolean {
  return RECORDED[entity] !== undefined
}

/** Undefined when the entity does not exist. */
export async function loadRecordedState(db: Db, entity: ChangedEntity, id: string): Promise<RecordedState | undefined> {
  const state = await RECORDED[entity]?.(db, id)
  if (!state) return undefined
  const text = JSON.stringify(state.shown)
  const whole = state.row === undefined ? text : JSON.stringify(state.row)
  const { organizationId, sealed = {} } = state
  return { text, hash: hash('sha256', whole, 'hex'), sealed, updatedAt: state.shown.updatedAt, organizationId }
}
