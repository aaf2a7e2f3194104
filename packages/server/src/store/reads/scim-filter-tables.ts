import { foldAscii, NAME_PARTS, SCIM_URN } from '@countersign/core'
import { type RawBuilder, sql } from 'kysely'
import type { StoreDialect } from '../transaction.ts'
import type { ScimColumn, ScimFilterTable } from './scim-filter-to-sql.ts'
import type { ScimSigner } from './scim-user-reads.ts'

type Expression = RawBuilder<unknown>

/** What the columns of a list depend on beside its rows. */
export interface ScimFilterContext {
  readonly dialect: StoreDialect
  readonly now: number
  /** The address of the signer's resources. */
  readonly baseUrl: string
}

const column = (type: ScimColumn['type'], expression: Expression): ScimColumn => ({ type, expression })

/** Text that is stored in any case. lower() folds only A to Z, as `foldAscii` does: always in SQLite, in PostgreSQL with collation C. */
function folded(dialect: StoreDialect, text: Expression): ScimColumn {
  return column('folded', dialect === 'sqlite' ? sql`lower(${text})` : sql`lower((${text}) collate "C")`)
}

const constant = (text: string): Expression => sql`cast(${sql.lit(text)} as text)`

const addressOf = ({ baseUrl }: ScimFilterContext, collection: 'Users' | 'Groups', id: Expression): ScimColumn =>
  column('exact', sql`(cast(${`${baseUrl}/${collection}/`} as text) || ${id})`)

/** The attributes that every resource has. */
function commonColumns(
  context: ScimFilterContext,
  { name, table, id }: { readonly name: 'User' | 'Group'; readonly table: string; readonly id: Expression },
): [string, ScimColumn][] {
  return [
    ['id', column('exact', id)],
    ['schemas', column('folded', constant(foldAscii(name === 'User' ? SCIM_URN.user : SCIM_URN.group)))],
    ['meta', column('complex', sql.lit(1))],
    ['meta.resourcetype', column('exact', constant(name))],
    ['meta.created', column('instant', sql.ref(`${table}.created_at`))],
    ['meta.lastmodified', column('instant', sql.ref(`${table}.updated_at`))],
    ['meta.location', addressOf(context, `${name}s`, id)],
  ]
}

/** Agents look for users by attributes of the enterprise schema when they are mapped: Entra by the manager. They are not kept, so that no user has one. */
const NEVER_SET = ['manager', 'manager.value', 'employeenumber'].flatMap((name) => [
  name,
  `urn:ietf:params:scim:schemas:extension:enterprise:2.0:user:${name}`,
])

/** The columns of `scim_users` joined with `identities`. */
export function userFilterTable(context: ScimFilterContext, signer: ScimSigner): ScimFilterTable {
  const { dialect, now } = context
  const { scimIdentityAttribute: attribute } = signer
  const isDescribed = sql`scim_users.user_name is not null`
  const name = attribute === 'userName' ? sql`coalesce(identities.external_id, identities.name)` : sql`identities.name`
  const userName = folded(dialect, name).expression
  const externalId = attribute === 'externalId' ? sql`identities.external_id` : sql`null`
  const enabled = sql`(identities.disabled_at is null or coalesce(identities.disabled_until <= ${now}, ${sql.lit(false)}))`
  const partsOfName = Object.entries(NAME_PARTS).map(([key, part]): [string, ScimColumn] => [
    `name.${key}`,
    folded(dialect, memberOf(dialect, sql`scim_users.name`, part)),
  ])
  return {
    dialect,
    columns: new Map([
      ...commonColumns(context, { name: 'User', table: 'identities', id: sql`identities.id` }),
      ['username', column('folded', sql`case when ${isDescribed} then scim_users.user_name_key else ${userName} end`)],
      ['externalid', column('exact', sql`case when ${isDescribed} then scim_users.external_id else ${externalId} end`)],
      ['displayname', folded(dialect, sql`scim_users.display_name`)],
      ['name', column('complex', sql`nullif(scim_users.name, '{}')`)],
      ...partsOfName,
      ['active', column('boolean', enabled)],
      ...NEVER_SET.map((unset): [string, ScimColumn] => [unset, column('exact', sql`cast(null as text)`)]),
    ]),
    values: new Map([
      ['emails', emailValues(dialect, signer)],
      ['groups', groupValues(context)],
    ]),
  }
}

/** A member of JSON in a column, as text. */
function memberOf(dialect: StoreDialect, json: Expression, name: string): Expression {
  return dialect === 'sqlite' ? sql`${json} ->> ${sql.lit(`$.${name}`)}` : sql`${json}::jsonb ->> ${sql.lit(name)}`
}

function emailValues(dialect: StoreDialect, { scimIdentityAttribute: attribute }: ScimSigner) {
  const isSqlite = dialect === 'sqlite'
  const part = (name: string) => memberOf(dialect, sql`email.value`, name)
  const isPrimary = isSqlite
    ? sql`coalesce(${part('primary')}, 0)`
    : sql`coalesce((${part('primary')})::boolean, false)`
  const given = isSqlite ? sql`scim_users.emails` : sql`scim_users.emails::jsonb`
  const emails =
    attribute === 'email' ? sql`case when ${HAS_KEY_ONLY} then ${KEY_AS_EMAILS[dialect]} else ${given} end` : given
  return {
    from: isSqlite ? sql`json_each(${emails}) as email` : sql`jsonb_array_elements(${emails}) as email (value)`,
    parts: new Map([
      ...['value', 'type', 'display'].map((name) => [name, folded(dialect, part(name))] as const),
      ['primary', column('boolean', isPrimary)] as const,
    ]),
  }
}

/** `userOfIdentity` shows the external id of an identity that no SCIM request has described as its email. */
const HAS_KEY_ONLY = sql`scim_users.user_name is null and identities.external_id is not null`
const KEY_AS_EMAILS: Readonly<Record<StoreDialect, Expression>> = {
  sqlite: sql`json_array(json_object('value', identities.external_id, 'primary', json('true')))`,
  postgres: sql`jsonb_build_array(jsonb_build_object('value', identities.external_id, 'primary', true))`,
}

/** The groups of a user. A cross join: otherwise SQLite would go through all groups of the signer. */
function groupValues(context: ScimFilterContext) {
  return {
    from: sql`(select scim_groups.id, scim_groups.display_name_key from scim_members cross join scim_groups
      where scim_members.identity_id = scim_users.identity_id and scim_groups.id = scim_members.group_id
        and scim_groups.signer_id = scim_users.signer_id) as user_group`,
    parts: new Map([
      ['value', column('exact', sql`user_group.id`)],
      ['display', column('folded', sql`user_group.display_name_key`)],
      ['type', column('folded', constant('direct'))],
      ['$ref', addressOf(context, 'Groups', sql`user_group.id`)],
    ]),
  }
}

/** The columns of `scim_groups`. */
export function groupFilterTable(context: ScimFilterContext): ScimFilterTable {
  const member = sql`member.identity_id`
  return {
    dialect: context.dialect,
    columns: new Map([
      ...commonColumns(context, { name: 'Group', table: 'scim_groups', id: sql`scim_groups.id` }),
      ['displayname', column('folded', sql`scim_groups.display_name_key`)],
      ['externalid', column('exact', sql`scim_groups.external_id`)],
    ]),
    values: new Map([
      [
        'members',
        {
          from: sql`(select identity_id from scim_members where group_id = scim_groups.id) as member`,
          parts: new Map([
            ['value', column('exact', member)],
            ['type', column('folded', constant('user'))],
            ['display', folded(context.dialect, displayOfUser(sql`scim_groups.signer_id`, member))],
            ['$ref', addressOf(context, 'Users', member)],
          ]),
        },
      ],
    ]),
  }
}

/** The text that lists of members show for a user. */
export function displayOfUser(signerId: Expression, id: Expression): RawBuilder<string | null> {
  return sql`(select coalesce(scim_users.display_name, scim_users.user_name,
      (select identities.name from identities where identities.id = scim_users.identity_id))
    from scim_users where scim_users.signer_id = ${signerId} and scim_users.identity_id = ${id})`
}
