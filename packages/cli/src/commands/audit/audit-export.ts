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
    const lines: string[] = []
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
        lines.push(JSON.stringify(header))
        for (const head of heads) for await (const entry of audit.upTo(head)) lines.push(JSON.stringify(entry))
      })
      file.write(`${lines.join('\n')}\n`)
    } finally {
      file.release()
    }
    const entries = lines.length - 1
    if (getFormat(call) === 'table') call.terminal.note(`wrote ${entries} entries to ${path}`)
    else await printData(call, { file: path, entries }, () => path)
    return EXIT.ok
  },
}

function placeOf({ node, sequence, hash, signature }: AuditHead): AuditHead {
  return { node, sequence, hash, signature }
}
