import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.ts'

/** A package of the lockfile that the controller needs at run time. */
export interface ProductionPackage {
  /** Its folder below the root: `node_modules/a/node_modules/b`. */
  readonly path: string
  readonly name: string
  readonly version: string
  readonly license: string | undefined
  /** As in the lockfile: `sha512-…`. */
  readonly integrity: string | undefined
}

interface LockEntry {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly link?: boolean
  readonly resolved?: string
}

type Lock = Readonly<Record<string, LockEntry>>

/** The packages of others that these workspaces need, by path. Versions come from the lockfile alone, so that two builds are the same. */
export function listProductionPackages(workspaces: readonly string[]): ProductionPackage[] {
  const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const found = new Map<string, ProductionPackage>()
  const visit = (path: string): void => {
    for (const name of Object.keys(lock[path]?.dependencies ?? {})) {
      const at = resolve(lock, path, name)
      const entry = at === undefined ? undefined : lock[at]
      if (at === undefined || !entry) throw new Error(`the lockfile has no ${name} for ${path}`)
      if (entry.link || found.has(at)) continue
      const { version = '', license, integrity } = entry
      found.set(at, { path: at, name, version, license, integrity })
      visit(at)
    }
  }
  for (const workspace of workspaces) visit(workspace)
  return [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** Searches the folders upwards, as Node does. */
function resolve(lock: Lock, from: string, name: string): string | undefined {
  for (let folder: string | undefined = from; folder !== undefined; folder = parentOf(folder)) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (lock[path]) return path
  }
  return undefined
}

function parentOf(folder: string): string | undefined {
  if (folder === '') return undefined
  const at = folder.lastIndexOf('/node_modules/')
  return at < 0 ? '' : folder.slice(0, at)
}

/** The folder of an installed package. Throws when it is not installed in the version of the lockfile. */
export function installedFolder({ path, version }: ProductionPackage): string {
  const folder = join(root, path)
  const manifest = join(folder, 'package.json')
  const installed = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined
  if (installed !== version) throw new Error(`${path} is ${installed ?? 'missing'}, not ${version}: run npm ci`)
  return folder
}
