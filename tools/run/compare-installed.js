import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Compares package-lock.json with what npm recorded that it installed.
 *
 * `fresh`: everything the task needs is there. `incomplete`: what is there is right, but packages are missing.
 * `stale`: nothing is there, or something else is.
 */
export function compareInstalled(root, dev) {
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const installed = readInstalled(root)
  if (!installed) return 'stale'
  for (const [path, entry] of Object.entries(installed)) {
    if (!sameVersion(entry, wanted[path])) return 'stale'
  }
  const here = `node_modules/node-${process.platform}-${process.arch}`
  const missing = Object.entries(wanted).some(
    ([path, entry]) => path !== '' && !installed[path] && (path === here || (!entry.optional && (dev || !entry.dev))),
  )
  return missing ? 'incomplete' : 'fresh'
}

/** npm writes this file last, so that a broken-off installation has none. */
function readInstalled(root) {
  try {
    return JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')).packages
  } catch {
    return undefined
  }
}

function sameVersion(one, other) {
  return other !== undefined && one.version === other.version && one.integrity === other.integrity
}
