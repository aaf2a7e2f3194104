import type { Check } from './check.ts'
import { listDependencies, loadManifests } from './manifests.ts'

const exact = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/

/** All packages of the workspace have one version, and every dependency has an exact version. */
export const versions: Check = {
  name: 'one version',
  planted: { folder: 'versions', expect: ['two: version 0.2.0', 'depends on one 0.0.9', 'depends on stranger ^1.0.0'] },
  look(base) {
    const manifests = loadManifests(base)
    const ours = new Set(manifests.map(({ manifest }) => manifest.name))
    const version = manifests.find(({ file }) => file === 'package.json')?.manifest.version
    const problems = manifests.flatMap((file) => {
      const { name, version: ownVersion } = file.manifest
      const wrong = listDependencies(file).filter(([dependency, range]) =>
        ours.has(dependency) ? range !== version : !exact.test(range),
      )
      const lines = wrong.map(([dependency, range]) => `${name} depends on ${dependency} ${range}`)
      return ownVersion === version ? lines : [`${name}: version ${ownVersion}, the workspace has ${version}`, ...lines]
    })
    return { looked: manifests.length, problems }
  },
}
