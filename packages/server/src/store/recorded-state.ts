import { hash } from 'node:crypto'
import type { AdministrationKind } from '@countersign/contract'
import { AUTH_POLICY } from '@countersign/contract/auth-policy'
import { CA } from '@countersign/contract/ca'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { IDENTITY } from '@countersign/contract/identity'
import { listFields, type Members } from '@countersign/contract/resource'
import { administrationSecret } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { ChangedEntity } from './change.ts'
import type { IdentityProviderRow } from './hosted-schema.ts'
import type { StoredIdentity } from './identity-row.ts'
import { readJsonColumn } from './json-column.ts'
import { findJob } from './reads/account-job-reads.ts'
import { findAuthPolicy } from './reads/auth-policy-reads.ts'
import { findAuthenticator } from './reads/authenticator-reads.ts'
import { findCa } from './reads/ca-reads.ts'
import { findEnrollment } from './reads/enrollment-reads.ts'
import { findSink } from './reads/event-sink-reads.ts'
import { findIdentitiesById, findIdentity } from './reads/identity-reads.ts'
import { findStoredKeySet } from './reads/key-signer-reads.ts'
import { findSigner } from './reads/signer-reads.ts'
import type { Database } from './schema.ts'
import type { StoredSigner } from './signer-row.ts'

/** The state of an entity before or after an operation. */
export interface RecordedState {
  /** JSON without secrets. */
  readonly text: string
  /** SHA-256 of each stored secret by the name of its member, where it has one. Of sealed values, so that no digest can be guessed. */
  readonly digests: Readonly<Record<string, string>>
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
    const {
      claimsProperty: identityIdClaimsSelector,
      certificate,
      certificates: _,
      removedKeys: __,
      ...others
    } = signer
    const { jwksAuthorization, ...fields } = others
    const shown = {
      ...fields,
      identityIdClaimsSelector,
      ...certificate,
      jwksAuthorizationSet: jwksAuthorization !== null,
      ...(await givenKeys(db, signer)),
    }
    return { shown, row: signer, sealed: { jwksAuthorization } }
  },
  cas: async (db, id) => shown(await findCa(db, id)),
  eventSinks: async (db, id) => {
    const sink = await findSink(db, id)
    if (!sink) return undefined
    const { name, kind, url, format, filter, enabled, tags, createdAt, updatedAt } = sink
    const row = { ...sink, previous_secret: sink.previousSecret }
    // Only administrators read sinks, more callers what changed: the path of a webhook is often its credential.
    const origin = url === null ? null : (URL.parse(url)?.origin ?? null)
    return {
      shown: { id, name, kind, origin, format, filter, enabled, tags, createdAt, updatedAt },
      row,
    }
  },
  authPolicies: async (db, id) => shown(await findAuthPolicy(db, id)),
  identities: async (db, id) => {
    const identity = await findIdentity(db, id)
    return identity && { shown: shownIdentity(identity) }
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

/** The keys that a caller has pushed, or may have to confirm: they are no members of the signer, and decide which tokens it accepts. */
async function givenKeys(db: Db, { id, pushedKeys, requireKeyContinuity }: StoredSigner) {
  if (!pushedKeys && !requireKeyContinuity) return undefined
  const stored = await findStoredKeySet(db, { table: 'signer_key_sets', ownerId: id })
  return { keyThumbprints: readJsonColumn<readonly string[]>(stored?.goodThumbprints ?? '[]') }
}

function shownIdentity(identity: StoredIdentity) {
  const { defaultHostingCost, defaultHostingPrecedence, ...others } = identity
  const { serviceHostingCosts, serviceHostingPrecedences, ...fields } = others
  const costs = { defaultHostingCost, defaultHostingPrecedence, serviceHostingCosts, serviceHostingPrecedences }
  // Consumers of events expect these under one name.
  return { ...fields, hosting: costs }
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

/** The columns with secrets, by entity. They are named as `memberName` does, and never shown. */
const SECRET_COLUMNS: Readonly<Partial<Record<ChangedEntity, readonly string[]>>> = {
  authenticators: ['password_digest'],
  enrollments: ['token_digest', 'sealed_token'],
  scimTokens: ['token_digest'],
  accountJobs: ['registration_token'],
  eventSinks: ['url', 'secret', 'previous_secret'],
}

/** The members that only bodies have, by entity: where a stored entity has one, it is a secret. */
const SECRET_MEMBERS: Readonly<Partial<Record<ChangedEntity, readonly string[]>>> = {
  externalJwtSigners: writeOnlyIn(SIGNER.members),
  cas: writeOnlyIn(CA.members),
  authPolicies: writeOnlyIn(AUTH_POLICY.members),
  identities: writeOnlyIn(IDENTITY.members),
}

function writeOnlyIn(members: Members): string[] {
  return listFields(members).flatMap(([path, { notes }]) => (notes.writeOnly ? [path] : []))
}

function withoutSecrets(entity: ChangedEntity, shown: object): object {
  const secrets = SECRET_MEMBERS[entity]?.filter((name) => name in shown) ?? []
  return secrets.length === 0 ? shown : { ...shown, ...digestsOf(pick(shown, secrets)) }
}

function secretsIn(entity: ChangedEntity, row: unknown): Readonly<Record<string, unknown>> {
  const columns = SECRET_COLUMNS[entity] ?? []
  const found = columns.length === 0 ? {} : pick(row as object, columns)
  return Object.fromEntries(Object.entries(found).map(([column, value]) => [memberName(column), value]))
}

function pick(from: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))
}

function digestsOf(secrets: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(secrets).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, `sha256:${hash('sha256', String(value), 'hex')}`]))
}

/** Whether the states of such an entity are recorded with its changes. */
export function isRecordedEntity(entity: ChangedEntity): boolean {
  return RECORDED[entity] !== undefined
}

/** Undefined when the entity does not exist. */
export async function loadRecordedState(db: Db, entity: ChangedEntity, id: string): Promise<RecordedState | undefined> {
  const state = await RECORDED[entity]?.(db, id)
  return state && recordedState(entity, state)
}

/** The states of entities of one kind that exist, by id. */
export async function loadRecordedStates(
  db: Db,
  entity: ChangedEntity,
  ids: readonly string[],
): Promise<Map<string, RecordedState>> {
  const states = new Map<string, RecordedState>()
  if (entity === 'identities') {
    for (const identity of await findIdentitiesById(db, ids)) {
      states.set(identity.id, recordedState(entity, { shown: shownIdentity(identity) }))
    }
    return states
  }
  for (const id of ids) {
    const state = await loadRecordedState(db, entity, id)
    if (state) states.set(id, state)
  }
  return states
}

function recordedState(entity: ChangedEntity, state: LoadedState): RecordedState {
  const text = JSON.stringify(withoutSecrets(entity, state.shown))
  const whole = state.row === undefined ? text : JSON.stringify(state.row)
  const { organizationId, sealed = {} } = state
  const digests = { ...digestsOf(sealed), ...digestsOf(secretsIn(entity, state.row)) }
  return { text, digests, hash: hash('sha256', whole, 'hex'), sealed, updatedAt: state.shown.updatedAt, organizationId }
}
