import { SESSIONS } from '../../resources/kinds.ts'
import { createDeleteCommand, createListCommand } from '../../resources/read-commands.ts'

/** `countersign sessions …` */
export const sessions = { list: createListCommand(SESSIONS), delete: createDeleteCommand(SESSIONS) }
