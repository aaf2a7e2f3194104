import type { Check } from './check.ts'
import { listDependencies, loadManifests } from './manifests.ts'

const exact = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/

/** One version over all our packages, and exact versions of everything they ask for. */
export const versions: Check = {
  name: 'one version',
  planted: { folder: 'versions', expect: ['two: version 0.2.0', 'asks for one 0.0.9', 'asks for stranger ^1.0.0'] },
  look(base) {
    const manifests = loadManifests(base)
    const ours = new Set(manifests.map(({ manifest }) => manifest.name))
    const version = manifests.find(({ file }) => file === 'package.json')?.manifest.version
    const problems = manifests.flatMap((placed) => {
      const { name, version: own } = placed.manifest
      const wrong = listDependencies(placed).filter(([other, asked]) =>
        ours.has(other) ? asked !== version : !exact.test(asked),
      )
      const lines = wrong.map(([other, asked]) => `${name} asks for ${other} ${asked}`)
      return own === version ? lines : [`${name}: version ${own}, the workspace has ${version}`, ...lines]
    })
    return { looked: manifests.length, problems }
  },
}
