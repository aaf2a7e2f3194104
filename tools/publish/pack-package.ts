import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../check/run-program.ts'
import { listFiles } from '../paths.ts'
import { runNpm } from './run-command.ts'

/** Packs `build/<folder>` and checks the pack with publint and attw. Returns the path of the tarball. Throws with their output. */
export async function packPackage(folder: string, output: string): Promise<string> {
  const packed = await runNpm(
    ['pack', '--json', '--ignore-scripts', '--pack-destination', output],
    join(output, folder),
  )
  const [{ filename }]: [{ filename: string }] = JSON.parse(packed.slice(packed.indexOf('[')))
  const tarball = join(output, filename)
  await runCheck('publint', 'publint/src/cli.js', ['run', tarball, '--strict'], output)
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
  await runCheck('attw', '@arethetypeswrong/cli/dist/index.js', attw, output)
  if (folder === 'sdk') assertNoImports(join(output, folder))
  return tarball
}

async function runCheck(name: string, script: string, args: string[], cwd: string): Promise<void> {
  const { code, output } = await runProgram(script, args, cwd)
  if (code !== 0) throw new Error(`${name} failed:\n${output}`)
}

/** The SDK has no dependencies, so neither its code nor its types may import a package. */
function assertNoImports(folder: string): void {
  const importing = listFiles(['dist/**/*.js', 'dist/**/*.d.ts'], folder).filter((file) =>
    /(?:from|import\()\s*['"](?!\.|node:)/.test(readFileSync(join(folder, file), 'utf8')),
  )
  if (importing.length > 0)
    throw new Error(`the SDK must not import packages, but these files do: ${importing.join(', ')}`)
}
