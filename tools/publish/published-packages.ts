import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.ts'

/** A published package. `engines` is its required Node version. */
export type PublishedPackage = { folder: string; engines: string }

/** The published packages, dependencies first. The command starts on any Node and installs the one it needs. */
export const publishedPackages: PublishedPackage[] = [
  { folder: 'contract', engines: '>=20' },
  { folder: 'core', engines: '>=20' },
  { folder: 'server', engines: '>=24.18' },
  { folder: 'sdk', engines: '>=20.16' },
  { folder: 'cli', engines: '>=20' },
]

export type PackageManifest = {
  name: string
  version: string
  description: string
  license: string
  bin?: Record<string, string>
  exports: Record<string, string>
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Reads the package.json in the sources of a package. */
export function loadManifest(folder: string): PackageManifest {
  return JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
}
