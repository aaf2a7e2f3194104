import { accountIdentityId } from '@countersign/core'
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'
import type { Store } from '../store.ts'
import { withinDeadline } from './list-reader.ts'

/** How well the installation can be administered; higher is better. */
export const ADMINISTRATOR_LEVEL = { none: 0, enabled: 1, ableToLogIn: 2 } as const

/**
 * `ableToLogIn` when an enabled administrator has a credential that the policy allows, and a trusted signer for the second token where the
 * policy requires one. `enabled` when there are only enabled administrators without that. Does not count the identity `without`.
 */
export async function findAdministratorLevel(
  db: Kysely<Database>,
  now: number,
  { without = '' }: { readonly without?: string } = {},
): Promise<number> {
  const able = await enabledAdministrators(db, now)
    .where('identities.id', '!=', without)
    .where((eb) => eb.or([eb('auth_policies.require_ext_jwt_signer_id', 'is', null), hasSecondSigner(eb)]))
    .where((eb) => eb.or([hasOwnCredential(eb), hasAllowedSigner(eb)]))
    .limit(1)
    .executeTakeFirst()
  if (able) return ADMINISTRATOR_LEVEL.ableToLogIn
  const enabled = await enabledAdministrators(db, now).where('identities.id', '!=', without).limit(1).executeTakeFirst()
  return enabled ? ADMINISTRATOR_LEVEL.enabled : ADMINISTRATOR_LEVEL.none
}

/** Whether an enabled administrator can log in without a token, whatever rules say. */
export async function hasAdministratorWithoutRules(db: Kysely<Database>, now: number): Promise<boolean> {
  const found = await enabledAdministrators(db, now)
    .where('auth_policies.accept_rule', 'is', null)
    .where('auth_policies.require_ext_jwt_signer_id', 'is', null)
    .where(hasOwnCredential)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Some of the enabled administrators, in the order of ids, and whether they have a credential that their policy allows, besides tokens. */
export async function loadEnabledAdministrators(
  db: Kysely<Database>,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<{ readonly id: string; readonly hasOwnCredential: boolean }[]> {
  const rows = await enabledAdministrators(db, now)
    .select((eb) => eb.case().when(hasOwnCredential(eb)).then(1).else(0).end().as('own'))
    .orderBy('identities.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, own }) => ({ id, hasOwnCredential: Number(own) === 1 }))
}

/** Whether no administrator other than this identity is enabled. */
export async function isLastAdministrator(db: Kysely<Database>, id: string, now: number): Promise<boolean> {
  const other = await enabledAdministrators(db, now).where('identities.id', '!=', id).limit(1).executeTakeFirst()
  return other === undefined
}

/** The id of the default administrator, which the first start creates and which cannot be deleted. */
export async function findDefaultAdministrator(db: Kysely<Database>): Promise<string | undefined> {
  const administrators = db.selectFrom('identities').select('id').where('is_default_admin', '=', true)
  // No index is needed: the row was inserted first, so that a scan finds it at once.
  return (await administrators.limit(1).executeTakeFirst())?.id
}

export interface AdministratorRow {
  readonly id: string
  readonly name: string
  readonly disabledAt: number | null
  readonly disabledUntil: number | null
  readonly expiresAt: number | null
  readonly hasExpired: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * The administrators of this controller, without the identities of API accounts, which are listed as accounts. `caller` is the key under which
 * long reads take turns.
 */
export async function listAdministrators(
  store: Pick<Store, 'db' | 'dialect' | 'readLong'>,
  caller: string,
): Promise<AdministratorRow[]> {
  const administrators = store.db
    .selectFrom('identities')
    .select(['id', 'name', 'disabled_at as disabledAt', 'disabled_until as disabledUntil'])
    .select(['expires_at as expiresAt', 'has_expired as hasExpired'])
    .select(['created_at as createdAt', 'updated_at as updatedAt'])
    .where('is_admin', '=', true)
    .where(IS_NO_ACCOUNT)
    .where(withinDeadline(store))
    .orderBy('name')
  const rows = await store.readLong(caller, administrators.compile())
  return rows.map((row) => ({ ...row, hasExpired: Boolean(row.hasExpired) }))
}

const ACCOUNT_PREFIX = accountIdentityId('')

/** As `isAccountIdentity`. Such an identity has no login, and its row does not say whether the account is active. */
const IS_NO_ACCOUNT = sql<boolean>`substr(identities.id, 1, ${sql.lit(ACCOUNT_PREFIX.length)}) <> ${sql.lit(ACCOUNT_PREFIX)}`

function enabledAdministrators(db: Kysely<Database>, now: number) {
  return (
    db
      .selectFrom('identities')
      .innerJoin('auth_policies', 'auth_policies.id', 'identities.auth_policy_id')
      .select('identities.id')
      .where('identities.is_admin', '=', true)
      .where(IS_NO_ACCOUNT)
      .where((eb) => eb.or([eb('identities.disabled_at', 'is', null), eb('identities.disabled_until', '<=', now)]))
      // An administrator whose access ends is none on whom the installation can rest.
      .where('identities.expires_at', 'is', null)
  )
}

/** Whether the policy allows a credential of the administrator, besides tokens. */
function hasOwnCredential(eb: Administrators) {
  return eb.or([
    hasAllowedAuthenticator(eb, 'updb'),
    hasAllowedAuthenticator(eb, 'cert'),
    hasAllowedPasskey(eb),
    hasNamingCa(eb),
  ])
}

type Administrators = ExpressionBuilder<Database, 'identities' | 'auth_policies'>

const ALLOWED_COLUMN = { updb: 'auth_policies.updb_allowed', cert: 'auth_policies.cert_allowed' } as const

function hasAllowedAuthenticator(eb: Administrators, method: keyof typeof ALLOWED_COLUMN) {
  const authenticators = eb
    .selectFrom('authenticators')
    .select('authenticators.id')
    .whereRef('authenticators.identity_id', '=', 'identities.id')
    .where('authenticators.method', '=', method)
    .where('authenticators.is_from_untrusted', '=', false)
    .where((authenticator) =>
      authenticator.or([
        authenticator('authenticators.ca_fingerprint', 'is', null),
        authenticator(
          'authenticators.ca_fingerprint',
          'in',
          trustedCas(eb).select('cas.fingerprint').where('cas.external_id_claim', 'is', null),
        ),
      ]),
    )
  return eb.and([eb(ALLOWED_COLUMN[method], '=', true), eb.exists(authenticators)])
}

function hasAllowedPasskey(eb: Administrators) {
  const passkeys = eb
    .selectFrom('passkeys')
    .select('passkeys.id')
    .whereRef('passkeys.identity_id', '=', 'identities.id')
  return eb.and([eb('auth_policies.passkey_allowed', '=', true), eb.exists(passkeys)])
}

/** Third-party CAs whose certificates are accepted for administrators. */
function trustedCas(eb: Administrators) {
  return eb
    .selectFrom('cas')
    .where('cas.is_verified', '=', true)
    .where('cas.is_auth_enabled', '=', true)
    .where('cas.is_trusted', '=', true)
}

/** Only the CA knows whether it has issued a certificate with the external id. */
function hasNamingCa(eb: Administrators) {
  const cas = trustedCas(eb).select('cas.id').where('cas.external_id_claim', 'is not', null)
  return eb.and([
    eb('auth_policies.cert_allowed', '=', true),
    eb('identities.external_id', 'is not', null),
    eb.exists(cas),
  ])
}

/** Signers whose tokens are accepted for administrators and could name this one. Only the identity provider knows whether they do. */
function trustedSigners(eb: Administrators) {
  return eb
    .selectFrom('ext_jwt_signers')
    .select('ext_jwt_signers.id')
    .where('ext_jwt_signers.enabled', '=', true)
    .where('ext_jwt_signers.is_trusted', '=', true)
    .where((signer) =>
      signer.or([
        signer('ext_jwt_signers.use_external_id', '=', false),
        signer(signer.ref('identities.external_id'), 'is not', null),
      ]),
    )
}

function hasSecondSigner(eb: Administrators) {
  return eb.exists(trustedSigners(eb).whereRef('ext_jwt_signers.id', '=', 'auth_policies.require_ext_jwt_signer_id'))
}

function hasAllowedSigner(eb: Administrators) {
  const named = eb
    .selectFrom('auth_policy_signers')
    .select('auth_policy_signers.signer_id')
    .whereRef('auth_policy_signers.auth_policy_id', '=', 'auth_policies.id')
  const signers = trustedSigners(eb).where((signer) =>
    signer.or([signer.not(signer.exists(named)), signer('ext_jwt_signers.id', 'in', named)]),
  )
  return eb.and([eb('auth_policies.ext_jwt_allowed', '=', true), eb.exists(signers)])
}
