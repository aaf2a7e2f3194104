import type { ErrorCode } from '@countersign/contract'
import { AppError, echoedValue } from '@countersign/core'

interface UniqueRule {
  /** Name of the index, which PostgreSQL reports. */
  readonly index: string
  /** The columns, which SQLite reports. */
  readonly columns: string
  readonly field: string
  /** COULD_NOT_VALIDATE unless given. */
  readonly code?: ErrorCode
  reason(value: unknown): string
}

const nameMustBeUnique = () => 'name must be unique'
const duplicateIn = (store: string) => (value: unknown) => {
  return `duplicate value '${echoedValue(value)}' in unique index on ${store} store`
}

const RULES: readonly UniqueRule[] = [
  { index: 'ext_jwt_signers_name', columns: 'ext_jwt_signers.name', field: 'name', reason: nameMustBeUnique },
  {
    index: 'ext_jwt_signers_issuer_audience',
    columns: 'ext_jwt_signers.issuer, ext_jwt_signers.audience',
    field: 'issuer',
    reason: duplicateIn('externalJwtSigners'),
  },
  {
    index: 'ext_jwt_signer_audiences_pkey',
    columns: 'ext_jwt_signer_audiences.issuer, ext_jwt_signer_audiences.audience',
    field: 'issuer',
    reason: duplicateIn('externalJwtSigners'),
  },
  {
    index: 'ext_jwt_signers_static_kid',
    columns: 'ext_jwt_signers.static_kid',
    field: 'kid',
    reason: duplicateIn('externalJwtSigners'),
  },
  {
    index: 'ext_jwt_signers_fingerprint',
    columns: 'ext_jwt_signers.fingerprint',
    field: 'fingerprint',
    reason: duplicateIn('externalJwtSigners'),
  },
  {
    index: 'ext_jwt_signer_certificates_pkey',
    columns: 'ext_jwt_signer_certificates.fingerprint',
    field: 'fingerprint',
    reason: duplicateIn('externalJwtSigners'),
  },
  { index: 'event_sinks_name', columns: 'event_sinks.name', field: 'name', reason: nameMustBeUnique },
  { index: 'cas_name', columns: 'cas.name', field: 'name', reason: duplicateIn('cas') },
  {
    index: 'cas_fingerprint',
    columns: 'cas.fingerprint',
    field: 'certPem',
    reason: () => 'certificate already used as CA',
  },
  { index: 'auth_policies_name', columns: 'auth_policies.name', field: 'name', reason: nameMustBeUnique },
  { index: 'identities_name', columns: 'identities.name', field: 'name', reason: duplicateIn('identities') },
  {
    index: 'identities_external_id',
    columns: 'identities.external_id',
    field: 'externalId',
    reason: duplicateIn('identities'),
  },
  {
    index: 'authenticators_username',
    columns: 'authenticators.username',
    field: 'updbUsername',
    reason: duplicateIn('authenticators'),
  },
  {
    index: 'authenticators_fingerprint',
    columns: 'authenticators.fingerprint',
    field: 'certPem',
    code: 'CERT_IN_USE',
    reason: () => 'the certificate is in use by another authenticator',
  },
  {
    index: 'authenticators_public_key_digest',
    columns: 'authenticators.public_key_digest',
    field: 'certPem',
    code: 'CERT_IN_USE',
    reason: () => 'the key of the certificate is in use by another authenticator',
  },
  {
    index: 'passkeys_credential_id',
    columns: 'passkeys.credential_id',
    field: 'credential',
    code: 'PASSKEY_EXISTS',
    reason: () => 'the passkey is in use by this or another identity',
  },
  {
    index: 'organizations_label',
    columns: 'organizations.label',
    field: 'label',
    reason: () => 'label must be unique',
  },
  {
    index: 'identity_providers_name',
    columns: 'identity_providers.organization_id, identity_providers.name',
    field: 'name',
    reason: nameMustBeUnique,
  },
  {
    index: 'networks_name',
    columns: 'networks.network_group_id, networks.name',
    field: 'name',
    reason: () => 'name must be unique in its network group, ignoring letter case',
  },
  {
    index: 'api_accounts_name',
    columns: 'api_accounts.organization_id, api_accounts.name',
    field: 'name',
    reason: nameMustBeUnique,
  },
  {
    index: 'api_account_clients_pkey',
    columns: 'api_account_clients.issuer, api_account_clients.client_id',
    field: 'clientId',
    // Does not name the account: it may belong to another organization.
    reason: () => 'this client cannot be used for an account: choose another client of the provider',
  },
]

/** Runs a statement; the violation of a unique index becomes the field error that existing clients know. */
export async function rejectDuplicates<T>(
  values: Readonly<Record<string, unknown>>,
  statement: () => Promise<T>,
): Promise<T> {
  try {
    return await statement()
  } catch (error) {
    const rule = error instanceof Error ? findRule(error) : undefined
    if (!rule) throw error
    throw Object.assign(refusal(rule, values, ownerByName(rule, values)), { cause: error })
  }
}

/** What has a taken name is called so. Names of networks are compared without letter case, so theirs may be written in another way. */
function ownerByName({ index, field }: UniqueRule, { name }: Readonly<Record<string, unknown>>): string | undefined {
  return field === 'name' && index !== 'networks_name' && typeof name === 'string' ? name : undefined
}

/** The error for a violation of a unique index that was found before writing. `owner` is the name of the entity that has the value. */
export function duplicateError(index: string, values: Readonly<Record<string, unknown>>, owner?: string): AppError {
  const rule = RULES.find((candidate) => candidate.index === index)
  if (!rule) throw new TypeError(`no rule for the index ${index}`)
  return refusal(rule, values, owner)
}

function refusal(
  { field, reason, code = 'COULD_NOT_VALIDATE' }: UniqueRule,
  values: Readonly<Record<string, unknown>>,
  owner?: string,
): AppError {
  const value = code === 'COULD_NOT_VALIDATE' ? echoedValue(values[field]) : ''
  return new AppError(code, {
    field,
    reason: reason(values[field]),
    value,
    ...(owner !== undefined && { conflictsWith: owner }),
  })
}

const SQLITE_PREFIX = 'UNIQUE constraint failed: '
const POSTGRES_UNIQUE_VIOLATION = '23505'

function findRule(error: Error & { code?: unknown; constraint?: unknown }): UniqueRule | undefined {
  if (error.code === POSTGRES_UNIQUE_VIOLATION) return RULES.find((rule) => rule.index === error.constraint)
  if (!error.message.startsWith(SQLITE_PREFIX)) return undefined
  const columns = error.message.slice(SQLITE_PREFIX.length)
  return RULES.find((rule) => rule.columns === columns)
}
