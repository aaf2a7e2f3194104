/**
 * Completes package-lock.json after a dependency changed.
 *
 * A registry mirror may lack the binaries of other platforms. npm then omits them from the lockfile, and `npm ci` refuses a
 * lockfile without them. This adds an entry (version and platform, no integrity) for each.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type LockEntry = {
  version?: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  link?: boolean
  resolved?: string
  license?: string
  os?: string[]
  cpu?: string[]
  libc?: string[]
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
export type Lockfile = { packages: Record<string, LockEntry> }

const platforms = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const cpuAliases: Record<string, string> = { gnueabihf: 'arm', eabi: 'arm', musleabihf: 'arm' }
const cpus = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']
const libcNames: Record<string, string> = { musl: 'musl', musleabihf: 'musl', gnu: 'glibc', gnueabihf: 'glibc' }

/** Lists the optional dependencies without an entry in `lock`, with the version that their parent requires. */
export function findMissingOptionals(lock: Lockfile): { path: string; name: string; version: string; dev: boolean }[] {
  const missing = []
  for (const [parent, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const path = `node_modules/${name}`
      if (lock.packages[`${parent}/${path}`] || lock.packages[path]) continue
      missing.push({ path, name, version, dev: entry.dev === true })
    }
  }
  return missing
}

/** Reads the platform of a binary package from its name. Throws when the name has no CPU. */
export function readPlatform(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[/-]/)
  const os = words.filter((word) => platforms.includes(word))
  const cpu = words.map((word) => cpuAliases[word] ?? word).filter((word) => cpus.includes(word))
  const libc = words.flatMap((word) => libcNames[word] ?? [])
  if (cpu.length === 0) throw new Error(`the name ${name} has no known CPU: add it to tools/complete-lock.ts`)
  return { ...(os.length ? { os } : {}), cpu: [...new Set(cpu)], ...(libc.length ? { libc } : {}) }
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '..', 'package-lock.json')
  const lock: Lockfile = JSON.parse(readFileSync(file, 'utf8'))
  const missing = findMissingOptionals(lock)
  for (const { path, name, version, dev } of missing) {
    if (!/^\d/.test(version)) throw new Error(`${name} is required as ${version}: only exact versions can be completed`)
    lock.packages[path] = { version, ...readPlatform(name), ...(dev ? { dev } : {}), optional: true }
  }
  const [root, ...rest] = Object.entries(lock.packages)
  rest.sort(([a], [b]) => (a < b ? -1 : 1))
  lock.packages = Object.fromEntries(root ? [root, ...rest] : rest)
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`package-lock.json: ${missing.length} packages of other platforms added`)
}
