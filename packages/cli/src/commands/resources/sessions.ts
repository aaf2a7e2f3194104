import { SESSIONS } from '../../resources/kinds.ts'
import { createDeleteCommand, createListCommand, createShowCommand } from '../../resources/read-commands.ts'

/** `countersign sessions …` */
export const sessions = {
  list: createListCommand(SESSIONS),
  show: createShowCommand(SESSIONS),
  delete: createDeleteCommand(SESSIONS),
}
