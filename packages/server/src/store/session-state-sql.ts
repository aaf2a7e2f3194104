import { MAX_AHEAD_MS } from '@countersign/core'
import type { ColumnBinding } from './filter-to-sql.ts'
import type { StoreDialect } from './transaction.ts'

/** The elements of a text column with a JSON list; none of NULL. */
const ELEMENTS: Readonly<Record<StoreDialect, (column: string) => string>> = {
  sqlite: (column) => `select element.value as name from json_each(${column}) as element`,
  postgres: (column) => `select json_array_elements_text(cast(${column} as json)) as name`,
}

/** The rule of `isLoginAllowed`. */
const IS_ALLOWED = `case api_sessions.method
  when 'password' then auth_policies.updb_allowed
  when 'cert' then auth_policies.cert_allowed
  when 'passkey' then auth_policies.passkey_allowed
  when 'ext-jwt' then auth_policies.ext_jwt_allowed and (
    not exists (select 1 from auth_policy_signers as any_signer where any_signer.auth_policy_id = auth_policies.id)
    or exists (select 1 from auth_policy_signers as signer
      where signer.auth_policy_id = auth_policies.id and signer.signer_id = api_sessions.signer_id))
  else true end`

/** The rules of `isCodeMissing` and `isPasskeyMissing`, or a second token that no request has had yet. */
const LACKS_FACTOR = `case when identities.verified_totp_id is null then auth_policies.require_totp
    else api_sessions.passed_totp_id is null or api_sessions.passed_totp_id <> identities.verified_totp_id end
  or (auth_policies.require_passkey and api_sessions.method <> 'passkey' and api_sessions.passed_passkey_id is null)
  or (auth_policies.require_ext_jwt_signer_id is not null and api_sessions.updated_at = api_sessions.created_at)`

/** The rule of `findStepUp`. */
const needsStepUp = (elements: (column: string) => string) => `api_sessions.method = 'ext-jwt' and (
  (auth_policies.ext_jwt_require_acr <> '[]'
    and (api_sessions.acr is null or api_sessions.acr not in (${elements('auth_policies.ext_jwt_require_acr')})))
  or (auth_policies.ext_jwt_require_amr <> '[]'
    and exists (select 1 from (${elements('auth_policies.ext_jwt_require_amr')}) as needed
      where needed.name not in (${elements('api_sessions.amr')})))
  or (auth_policies.ext_jwt_max_auth_age_seconds is not null and (api_sessions.authenticated_at is null
    or :now - api_sessions.authenticated_at > auth_policies.ext_jwt_max_auth_age_seconds * 1000
    or api_sessions.authenticated_at > :now + ${MAX_AHEAD_MS})))`

const selectState = (dialect: StoreDialect) => `select case when not (${IS_ALLOWED}) then 'refused'
  when ${LACKS_FACTOR} or (${needsStepUp(ELEMENTS[dialect])}) then 'partial' else 'complete' end
  from identities join auth_policies on auth_policies.id = identities.auth_policy_id
  where identities.id = api_sessions.identity_id`

const SELECT_STATE = { sqlite: selectState('sqlite'), postgres: selectState('postgres') }

/** What a session can do: the rule of `stateOfSession` in SQL. */
export const SESSION_STATE: ColumnBinding = {
  kind: 'expression',
  expression: SELECT_STATE,
  type: 'string',
  notNull: true,
}

export const IS_PARTIAL_SESSION: ColumnBinding = {
  kind: 'expression',
  expression: {
    sqlite: `(${SELECT_STATE.sqlite}) = 'partial'`,
    postgres: `(${SELECT_STATE.postgres}) = 'partial'`,
  },
  type: 'bool',
  notNull: true,
}
