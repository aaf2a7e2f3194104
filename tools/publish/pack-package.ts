import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../check/run-program.ts'
import { listFiles } from '../paths.ts'
import { runNpm } from './run-command.ts'

/** Packs `build/<folder>` and lets publint and attw judge the pack. Gives the path of the tarball; throws with their words. */
export async function packPackage(folder: string, output: string): Promise<string> {
  const packed = await runNpm(
    ['pack', '--json', '--ignore-scripts', '--pack-destination', output],
    join(output, folder),
  )
  const [{ filename }]: [{ filename: string }] = JSON.parse(packed.slice(packed.indexOf('[')))
  const tarball = join(output, filename)
  await judge('publint', 'publint/src/cli.js', ['run', tarball, '--strict'], output)
  const attw = [
    tarball,
    '--profile',
    'esm-only',
    '--no-definitely-typed',
    '--format',
    'ascii',
    '--no-color',
    '--no-emoji',
  ]
  await judge('attw', '@arethetypeswrong/cli/dist/index.js', attw, output)
  if (folder === 'sdk') assertStandsAlone(join(output, folder))
  return tarball
}

async function judge(name: string, script: string, args: string[], cwd: string): Promise<void> {
  const { code, output } = await runProgram(script, args, cwd)
  if (code !== 0) throw new Error(`${name} is not content with ${args[0]}:\n${output}`)
}

/** The client has no dependencies, so neither its code nor its types may name another package. */
function assertStandsAlone(folder: string): void {
  const naming = listFiles(['dist/**/*.js', 'dist/**/*.d.ts'], folder).filter((file) =>
    /(?:from|import\()\s*['"](?!\.|node:)/.test(readFileSync(join(folder, file), 'utf8')),
  )
  if (naming.length > 0)
    throw new Error(`the sdk must stand alone, but these files import packages: ${naming.join(', ')}`)
}
