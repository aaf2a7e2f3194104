import { openObject } from '../body-members.ts'
import { tags } from '../responses/response-members.ts'
import { annotated } from '../schema/type.ts'
import { field } from './field.ts'

/** The tags that every resource of the edge APIs has. */
export const tagsField = () => {
  const schema = tags()
  const { description } = schema as { description?: string }
  return field(schema, { default: {}, accepts: annotated(openObject(), { description }), flag: 'none' })
}
