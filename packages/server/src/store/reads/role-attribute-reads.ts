import { type RawBuilder, sql } from 'kysely'
import type { FromId } from '../filter-to-sql.ts'

/** The distinct attributes, in order, as the view `identity_role_attributes` has them. Each step reads the next one by index. */
export function attributesInOrder({ descending, after }: FromId): RawBuilder<unknown> {
  const [next, comesAfter] = descending ? [sql`max(attribute)`, sql`<`] : [sql`min(attribute)`, sql`>`]
  const begin = after === undefined ? sql`true` : sql`attribute ${comesAfter} ${after}`
  return sql`with recursive names (id) as (
      select ${next} from identity_attributes where ${begin}
      union all
      select (select ${next} from identity_attributes where attribute ${comesAfter} names.id) from names
      where names.id is not null
    )
    select id from names where id is not null`
}
