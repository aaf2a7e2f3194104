/**
 * `npm run build`: builds the published packages in `build/`, packs them, checks the packs with publint and attw, and runs
 * the packed command in an empty folder.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.ts'
import { emitPackage } from './publish/emit-package.ts'
import { packPackage } from './publish/pack-package.ts'
import { loadManifest, publishedPackages } from './publish/published-packages.ts'
import { tryPacked } from './publish/try-packed.ts'

const output = join(root, 'build')
rmSync(output, { recursive: true, force: true })
mkdirSync(output)
const tarballs: string[] = []
for (const one of publishedPackages) await step(`build/${one.folder}`, () => emitPackage(one, output))
for (const { folder } of publishedPackages) {
  await step(`pack, publint, attw: ${folder}`, async () => {
    tarballs.push(await packPackage(folder, output))
  })
}
await step('install and run the packed command in an empty folder', () =>
  tryPacked(tarballs, loadManifest('cli').version),
)
console.log(`\n${tarballs.map((tarball) => tarball.slice(root.length + 1)).join('\n')}`)

async function step(name: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now()
  process.stdout.write(`${name} ... `)
  try {
    await work()
    console.log(`done in ${Math.round(performance.now() - started)} ms`)
  } catch (error) {
    console.log('failed')
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
