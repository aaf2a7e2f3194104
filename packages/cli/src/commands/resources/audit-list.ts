import { AUDIT_ENTRIES } from '../../resources/kinds.ts'
import { createListCommand } from '../../resources/read-commands.ts'

/** `countersign audit list` */
export const auditList = createListCommand(AUDIT_ENTRIES, [
  {
    command: "countersign audit list --filter 'objectName = \"example\"' --sort 'at desc' --limit 20",
    description: 'the newest changes of one object',
  },
])
