import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand, runNpm } from './run-command.ts'

/** Installs the tarballs in an empty folder and runs the command there. Returns its output. */
export async function tryPacked(tarballs: string[], version: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-packed-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']
    await runNpm(['install', ...quiet, ...tarballs], folder)
    const command = join(folder, 'node_modules/.bin/countersign')
    const printed = (await runCommand(command, ['--version'], folder)).trim()
    if (!printed.includes(version)) throw new Error(`countersign --version printed "${printed}", not ${version}`)
    const help = (await runCommand(command, ['up', '--help'], folder)).trim()
    if (!help.includes('--data-dir')) throw new Error(`countersign up --help does not list the flags:\n${help}`)
    // Also loads the SDK, like every command that calls a controller.
    const login = (await runCommand(command, ['login', '--help'], folder)).trim()
    if (!login.includes('--password-stdin'))
      throw new Error(`countersign login --help does not list the flags:\n${login}`)
    return [printed, help.split('\n')[0] ?? '']
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
