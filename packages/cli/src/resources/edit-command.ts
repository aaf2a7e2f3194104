import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { writePrivateFile } from '../files/private-file.ts'
import { printChange } from '../output/print-change.ts'
import { CALL_FLAGS, LOCK_OUT_FLAG } from '../session/call-flags.ts'
import { withController } from '../session/with-controller.ts'
import { listAccepted, pickAccepted } from './check-members.ts'
import { parseMembers } from './field-flags.ts'
import { getItem } from './get-item.ts'
import { pickWritable } from './pick-writable.ts'
import { resolveReferences } from './references.ts'
import type { ResourceKind } from './resource-kind.ts'
import { confirmTrustingWrite, isTrustingWrite, TRUSTING_WRITE_HELP } from './trust-by-write.ts'
import { loadWarnings, printWarnings } from './warnings.ts'
import { writeChanges } from './write-changes.ts'

const SOURCE = 'the edited text'

/** `countersign RESOURCE edit NAME`: edit the writable members in an editor. */
export function createEditCommand(kind: ResourceKind): Command {
  return {
    args: ['NAME'],
    flags: [...CALL_FLAGS, LOCK_OUT_FLAG],
    details: [
      'The editor is $VISUAL, else $EDITOR, else vi. Nothing is changed when the item has been changed in the meantime.',
      ...(kind.trustMembers ? [TRUSTING_WRITE_HELP] : []),
    ],
    examples: [{ command: `countersign ${kind.plural} edit example`, description: 'by name or id' }],
    async run(call) {
      const [nameOrId = ''] = call.args
      const { item, version } = await withController(call, async (client) => {
        const collection = kind.open(client)
        return collection.getVersioned((await getItem(kind, collection, nameOrId)).id)
      })
      const before = pickWritable(kind, item)
      const after = pickAccepted(kind, await editMembers(call, before), { where: SOURCE, known: listAccepted(kind) })
      const changes = diffMembers(before, after)
      if (Object.keys(changes).length === 0) {
        await printChange(call, { action: 'unchanged', kind: kind.singular, item })
        return EXIT.ok
      }
      const write = { kind, item, members: changes }
      if (await withController(call, (client) => isTrustingWrite(client, write)))
        await confirmTrustingWrite(call, write)
      const warnings = await withController(call, async (client) => {
        const collection = kind.open(client)
        await writeChanges(kind, collection, { item, version }, await resolveReferences(client, kind, changes))
        return loadWarnings(kind, collection, item.id, client)
      })
      await printChange(call, { action: 'updated', kind: kind.singular, item })
      printWarnings(call, kind, item.name ?? item.id, warnings)
      return EXIT.ok
    },
  }
}

/** The members that differ; a removed one becomes null. */
function diffMembers(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return Object.fromEntries(
    [...names].flatMap((name) =>
      isDeepStrictEqual(before[name], after[name]) ? [] : [[name, after[name] === undefined ? null : after[name]]],
    ),
  )
}

async function editMembers(call: Call, members: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { stringify } = await import('yaml')
  const folder = mkdtempSync(join(tmpdir(), 'countersign-edit-'))
  try {
    const file = join(folder, 'edit.yaml')
    writePrivateFile(file, stringify(members))
    await runEditor(call, file)
    return await parseMembers(readFileSync(file, 'utf8'), SOURCE)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runEditor({ env, input }: Call, file: string): Promise<void> {
  const editor = env.VISUAL || env.EDITOR
  if (!editor && !input.isInteractive) throw usageError('there is no terminal to edit in', 'use update, or set EDITOR')
  return new Promise((resolve, reject) => {
    // Run by a shell, because the variable can contain arguments.
    const child = spawn('/bin/sh', ['-c', `${editor || 'vi'} "$1"`, 'sh', file], { stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new CliError('the editor failed', { hint: 'nothing was changed' })),
    )
  })
}
