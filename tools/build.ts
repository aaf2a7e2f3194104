/**
 * `npm run build`: builds the published packages in `build/`, packs them, checks the packs with publint and attw, and runs
 * the packed command in an empty folder. `npm run build -- sdk` builds and packs the SDK only.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.ts'
import { emitPackage } from './publish/emit-package.ts'
import { packPackage } from './publish/pack-package.ts'
import { loadManifest, type PublishedPackage, publishedPackages } from './publish/published-packages.ts'
import { tryPacked } from './publish/try-packed.ts'

const output = join(root, 'build')
rmSync(output, { recursive: true, force: true })
mkdirSync(output)
const tarballs: string[] = []
const [only, ...others] = process.argv.slice(2)
if (others.length > 0 || (only !== undefined && only !== 'sdk')) {
  console.error('usage: npm run build [-- sdk]')
  process.exit(2)
}
/** The SDK contains what it uses of the contract. */
const isBuilt = ({ folder }: PublishedPackage) => only === undefined || ['contract', 'sdk'].includes(folder)
for (const one of publishedPackages.filter(isBuilt)) await step(`build/${one.folder}`, () => emitPackage(one, output))
for (const { folder } of publishedPackages.filter(({ folder }) => only === undefined || folder === only)) {
  await step(`pack, publint, attw: ${folder}`, async () => {
    tarballs.push(await packPackage(folder, output))
  })
}
if (only === undefined) {
  await step('install and run the packed command in an empty folder', () =>
    tryPacked(tarballs, loadManifest('cli').version),
  )
}
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
