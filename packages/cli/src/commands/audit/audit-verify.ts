import {
  AuditFileError,
  type AuditHead,
  type AuditKey,
  type AuditKeys,
  type AuditVerdict,
  readAuditFile,
  readSinkHeads,
  verifyAudit,
} from '@countersign/core/audit'
import { CliError, EXIT, usageError } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { loadTextFile } from '../../files/load-text-file.ts'
import { readLines } from '../../files/read-lines.ts'
import { getFormat, printData } from '../../output/print-result.ts'
import { QUIET_FLAG } from '../../session/call-flags.ts'

/** `countersign audit verify FILE` */
export const auditVerify: Command = {
  args: ['FILE'],
  flags: [
    QUIET_FLAG,
    {
      name: 'key',
      value: 'FILE',
      description: 'The public key, a JWK or a JWKS, that was kept since before the export',
    },
    {
      name: 'heads',
      value: 'FILE',
      description: 'Events that a sink has received, one on each line: their heads count too',
    },
  ],
  details: [
    'Needs no controller. Without --key, the keys of the file itself are used, which a forger can replace.',
    'Exit status: 0 the record is complete and unchanged, 1 it is not.',
  ],
  examples: [
    { command: 'countersign audit verify audit.jsonl --key audit-key.json', description: 'check an export' },
    {
      command: 'countersign audit verify audit.jsonl --key audit-key.json --heads siem.jsonl',
      description: 'also find an end that was cut off before the export',
    },
  ],
  async run(call) {
    const { key, heads } = call.flags
    const received = typeof heads === 'string' ? readSinkHeads(readLines(heads)) : []
    const given = typeof key === 'string' ? readKeys(key) : undefined
    const verdict = checkExport(call.args[0] ?? '', given, received)
    if (!given) {
      call.terminal.notice('warning: checked with the keys of the file itself; give --key FILE to find a forgery')
    }
    if (getFormat(call) === 'table') print(call, verdict)
    else await printData(call, verdict, () => call.args[0])
    return verdict.findings.length === 0 ? EXIT.ok : EXIT.failure
  },
}

function print({ terminal }: Parameters<Command['run']>[0], { findings, checked, nodes }: AuditVerdict): void {
  for (const { problem, node, text } of findings) terminal.out([['red', `✘ ${problem}`], `  node ${node}: ${text}`])
  const what = `${checked} entries of ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}`
  if (findings.length === 0) terminal.out([['green', `✔ ${what}: complete and unchanged`]])
  else terminal.out(`${what}: ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`)
}

/** Without keys, those of the file itself are used. */
function checkExport(path: string, keys: AuditKeys | undefined, received: readonly AuditHead[]): AuditVerdict {
  try {
    const exported = readAuditFile(readLines(path))
    return verifyAudit({ ...exported, heads: [...exported.heads, ...received] }, keys ?? exported.header.keys)
  } catch (cause) {
    if (!(cause instanceof AuditFileError)) throw cause
    throw new CliError(`${path}: ${cause.message}`, { hint: 'give a file of "countersign audit export"', cause })
  }
}

function readKeys(path: string): AuditKeys {
  try {
    const value = JSON.parse(loadTextFile(path)) as AuditKey | { readonly keys: readonly AuditKey[] }
    const keys = 'keys' in value && Array.isArray(value.keys) ? value.keys : [value as AuditKey]
    if (keys.every((key) => typeof key === 'object' && key !== null && 'kty' in key)) return keys
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
  }
  throw usageError(`${path} is not a public key`, 'give a JWK or a JWKS, such as "publicKey" of GET /audit-heads')
}
