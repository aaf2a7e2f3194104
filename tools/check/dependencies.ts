import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lockfile } from '../complete-lock.ts'
import type { Check } from './check.ts'
import { listDependencies, loadManifests } from './manifests.ts'

const page = 'docs/dependencies.md'
const licences = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Python-2.0',
  'Unlicense',
])

/** docs/dependencies.md lists exactly the dependencies of our packages, and every installed package has an accepted licence. */
export const dependencies: Check = {
  name: 'dependencies, licences',
  planted: {
    folder: 'dependencies',
    expect: ['must list | stranger | 1.0.0 |', 'lists gone 1.0.0', 'stranger: licence AGPL-3.0'],
  },
  look(base) {
    const manifests = loadManifests(base)
    const ours = new Set(manifests.map(({ manifest }) => manifest.name))
    const declared = new Set(
      manifests.flatMap((file) =>
        listDependencies(file).flatMap(([name, version]) => (ours.has(name) ? [] : [`${name} ${version}`])),
      ),
    )
    const listed = readPage(join(base, page))
    const packages = listInstalled(base)
    const problems = [
      ...[...declared]
        .filter((one) => !listed.has(one))
        .map((one) => `${page} must list | ${one.replace(' ', ' | ')} | reason |`),
      ...[...listed]
        .filter((one) => !declared.has(one))
        .map((one) => `${page} lists ${one}, which no package depends on`),
      ...packages
        .filter(({ licence }) => !isAccepted(licence))
        .map(({ name, licence }) => `${name}: licence ${licence}`),
    ]
    return { looked: declared.size + packages.length, problems }
  },
}

function readPage(file: string): Set<string> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const rows = lines.map((line) => line.split('|').map((cell) => cell.trim()))
  const filled = rows.filter(([, name, version, reason]) => /^\d/.test(version ?? '') && name && reason)
  return new Set(filled.map(([, name, version]) => `${name} ${version}`))
}

function listInstalled(base: string): { name: string; licence: string | undefined }[] {
  const lock: Lockfile = JSON.parse(readFileSync(join(base, 'package-lock.json'), 'utf8'))
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.link && !isForeignBuild(entry))
    .map(([path, { license }]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 13), licence: license }))
}

/** Entries of tools/complete-lock.ts have no licence: they are platform builds of a package that is checked already. */
function isForeignBuild(entry: Lockfile['packages'][string]): boolean {
  return entry.optional === true && entry.license === undefined && entry.cpu !== undefined
}

function isAccepted(licence: string | undefined): boolean {
  if (licence === undefined) return false
  return licence
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => licences.has(one)))
}
