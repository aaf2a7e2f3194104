import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const BLOCK = /^```ts\n(.*?)^```$/gms

/** Compiles every block as a separate module. Returns the output of the compiler. */
function compile(t: { after(hook: () => void): void }, blocks: readonly string[]): string {
  const cache = join(ROOT, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'sdk-docs-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  blocks.forEach((block, index) => {
    writeFileSync(join(folder, `example-${index}.ts`), `${block}\nexport {}\n`)
  })
  const compilerOptions = { noUnusedLocals: false }
  const settings = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' }).stdout
}

test('every example of docs/sdk.md compiles; a wrong one does not', (t) => {
  const blocks = [...readFileSync(join(ROOT, 'docs/sdk.md'), 'utf8').matchAll(BLOCK)].map(([, block = '']) => block)
  assert.ok(blocks.length >= 8)
  assert.equal(compile(t, blocks), '')
  const wrong = `import { ControllerClient } from '@countersign/sdk'\nnew ControllerClient({ baseUrl: 5 })\n`
  assert.match(compile(t, [wrong]), /TS2322/)
})
