import { AUDIT_FILE_FORMAT, type AuditFileHeader, type AuditHead } from '@countersign/core/audit'
import { EXIT } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { reservePrivateFile } from '../../files/private-file.ts'
import { getFormat, printData } from '../../output/print-result.ts'
import { CALL_FLAGS } from '../../session/call-flags.ts'
import { withController } from '../../session/with-controller.ts'

/** `countersign audit export FILE` */
export const auditExport: Command = {
  args: ['FILE'],
  flags: CALL_FLAGS,
  details: [
    'The file has a header with the public keys and the signed heads, and an entry of the audit record on each further line.',
    'Only its owner can read it. Check it with "countersign audit verify".',
  ],
  examples: [{ command: 'countersign audit export audit.jsonl', description: 'everything that is kept' }],
  async run(call) {
    const path = call.args[0] ?? ''
    const file = reservePrivateFile(path, { replace: true })
    let entries = 0
    try {
      await withController(call, async ({ audit }) => {
        // Heads first: entries that are recorded meanwhile have a later head, and belong to the next export.
        const { heads, anchors, keys } = await audit.heads()
        const header: AuditFileHeader = {
          format: AUDIT_FILE_FORMAT,
          exportedAt: new Date().toISOString(),
          keys,
          heads: heads.map(placeOf),
          anchors: anchors.map(placeOf),
        }
        file.begin(`${JSON.stringify(header)}\n`)
        for (const head of heads) {
          for await (const entry of audit.upTo(head)) {
            file.begin(`${JSON.stringify(entry)}\n`)
            entries++
          }
        }
      })
      file.write('')
    } finally {
      file.release()
    }
    if (getFormat(call) === 'table') call.terminal.note(`wrote ${entries} entries to ${path}`)
    else await printData(call, { file: path, entries }, () => path)
    return EXIT.ok
  },
}

function placeOf({ node, sequence, hash, signature }: AuditHead): AuditHead {
  return { node, sequence, hash, signature }
}
