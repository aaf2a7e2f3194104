import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles, root } from '../paths.ts'

/** Lists the files that git would commit; in a planted tree, all files. */
export function listCommittedFiles(base: string): string[] {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: base,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const isRepository = base === root && listed.status === 0
  const files = isRepository ? listed.stdout.split('\0').filter(Boolean) : listFiles(['**/*', '**/.*'], base)
  const ownFiles = files.filter((file) => !file.startsWith('tools/check/planted/'))
  return ownFiles.filter((file) => existsSync(join(base, file)) && lstatSync(join(base, file)).isFile())
}
