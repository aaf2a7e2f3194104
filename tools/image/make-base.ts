import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What Node needs. No shell, no package manager. */
const DEBIAN_PACKAGES = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'ca-certificates', 'tzdata']

/** Makes a base image from Debian's packages, for machines that reach no registry of images. Needs apt and buildah. */
export function makeBase(folder: string, tag: string): void {
  rmSync(folder, { recursive: true, force: true })
  const [downloads, files] = [join(folder, 'packages'), join(folder, 'files')]
  for (const one of [downloads, files]) mkdirSync(one, { recursive: true })
  execFileSync('apt-get', ['download', ...DEBIAN_PACKAGES], { cwd: downloads, stdio: ['ignore', 'ignore', 'inherit'] })
  for (const name of readdirSync(downloads).toSorted()) {
    execFileSync('dpkg-deb', ['--extract', join(downloads, name), files])
  }
  const container = run('from', 'scratch')
  try {
    run('add', '--quiet', container, files, '/')
    run('commit', '--quiet', '--timestamp=0', '--format=docker', container, tag)
  } finally {
    run('rm', container)
  }
}

function run(...words: readonly string[]): string {
  return execFileSync('buildah', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}
