import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeFolder } from '../temporary-folder.fixture.ts'
import { buildManifest, rewriteExtensions } from './emit-package.ts'
import { packPackage } from './pack-package.ts'

const validManifest = {
  name: 'planted',
  version: '1.0.0',
  license: 'MIT',
  type: 'module',
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  files: ['dist'],
}
const files = (manifest: object, declarations = 'export declare const one: number;\n') => ({
  'sdk/package.json': manifest,
  'sdk/dist/index.js': 'export const one = 1;\n',
  'sdk/dist/index.d.ts': declarations,
})

test('rewriteExtensions changes the .ts extensions that tsc keeps', () => {
  const change = (before: string, after: string) => assert.equal(rewriteExtensions(before), after)
  change(`new URL('./a/thread.ts', import.meta.url)`, `new URL('./a/thread.js', import.meta.url)`)
  change(`export * from './a.ts'`, `export * from './a.js'`)
  change(`typeof import("../a.ts")`, `typeof import("../a.js")`)
  change(`const name = './a.ts'`, `const name = './a.ts'`)
  change(`import x from 'package.ts'`, `import x from 'package.ts'`)
})

test('the published package.json points to dist and has no development dependencies', () => {
  const manifest = {
    ...{ name: 'x', version: '1.0.0', description: 'd', license: 'MIT' },
    exports: { '.': './src/index.ts' },
    devDependencies: { y: '1.0.0' },
  }
  const built = JSON.parse(JSON.stringify(buildManifest(manifest, '>=20')))
  assert.deepEqual(built.exports['.'], { types: './dist/index.d.ts', default: './dist/index.js' })
  assert.equal('devDependencies' in built, false)
})

test('a valid pack passes; publint, attw and the import check each refuse an invalid one', async (t) => {
  const pack = (planted: Record<string, unknown>) => packPackage('sdk', makeFolder(t, planted))
  assert.match(await pack(files(validManifest)), /planted-1\.0\.0\.tgz$/)
  await assert.rejects(pack(files({ ...validManifest, exports: { '.': './dist/gone.js' } })), /publint failed/)
  await assert.rejects(pack(files(validManifest, `export * from './gone.ts';\n`)), /attw failed/)
  const withImport = `import type { Server } from 'fastify';\nexport declare const one: Server;\n`
  await assert.rejects(pack(files(validManifest, withImport)), /must not import packages/)
})
