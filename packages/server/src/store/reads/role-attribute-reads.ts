import { type RawBuilder, sql } from 'kysely'

/** The distinct attributes after one, in order, as the view `identity_role_attributes` has them. Each step reads the next one by index. */
export function attributesAfter(attribute: string | undefined): RawBuilder<unknown> {
  const isAfter = attribute === undefined ? sql`true` : sql`attribute > ${attribute}`
  return sql`with recursive names (id) as (
      select min(attribute) from identity_attributes where ${isAfter}
      union all
      select (select min(attribute) from identity_attributes where attribute > names.id) from names
      where names.id is not null
    )
    select id from names where id is not null`
}
