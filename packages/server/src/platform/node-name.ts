import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '@countersign/core'

const FILE = 'node-name'
const PRIVATE_FILE_MODE = 0o600
const NAME = /^[\w-]{1,64}$/

/** The name of the node with this data directory in the audit record. The first call creates it. */
export function loadNodeName(dataDir: string): string {
  const path = join(dataDir, FILE)
  if (!existsSync(path)) create(path)
  const name = readFileSync(path, 'utf8').trim()
  if (!NAME.test(name)) throw new Error(`${path} is not the name of a node: delete it`)
  return name
}

/** Never leaves a part of a name, and of several processes the first decides. */
function create(path: string): void {
  const temporary = `${path}.${newId()}.tmp`
  try {
    writeFileSync(temporary, newId(), { flag: 'wx', mode: PRIVATE_FILE_MODE, flush: true })
    linkSync(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}
