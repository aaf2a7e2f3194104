import { existsSync } from 'node:fs'
import { join } from 'node:path'

const oldest = [24, 18]

/**
 * Finds a Node that runs TypeScript as it is: the one from the registry in node_modules, else the running one.
 * Throws with what to install.
 */
export function findNode(root, { platform, arch, version, execPath } = process) {
  const packaged = join(root, 'node_modules', `node-${platform}-${arch}`, 'bin', 'node')
  if (existsSync(packaged)) return packaged
  const [major, minor] = version.slice(1).split('.').map(Number)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return execPath
  throw new Error(
    `Countersign needs Node 24 and this is ${version}: install Node ${oldest.join('.')} or newer` +
      (platform === 'linux' ? ', or run npm ci without --omit=optional.' : '.'),
  )
}
