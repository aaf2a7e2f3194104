import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from '../paths.ts'

export type Manifest = {
  name: string
  version: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}
export type ManifestFile = { file: string; manifest: Manifest }

/** Reads the package.json of the workspace under `base` and of all its packages. */
export function loadManifests(base: string): ManifestFile[] {
  const files = listFiles(['package.json', 'packages/*/package.json', 'e2e/package.json', 'bench/package.json'], base)
  return files.map((file) => ({ file, manifest: JSON.parse(readFileSync(join(base, file), 'utf8')) }))
}

/** Lists the dependencies of a package, of every kind. */
export function listDependencies({ manifest }: ManifestFile): [name: string, version: string][] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest
  return [dependencies, devDependencies, optionalDependencies, peerDependencies].flatMap((one) =>
    Object.entries(one ?? {}),
  )
}
