import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')
const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** The package writes to the temporary folder that `TMPDIR` names; the last file brings the libraries that a bare machine lacks. */
const UNPACK = `
  const { inflate } = await import('@sparticuz/chromium')
  const { join } = await import('node:path')
  for (const name of ['chromium.br', 'fonts.tar.br', 'al2023.tar.br']) await inflate(join(process.argv[1], name))`

/** The package's own file names folders of the machines it was made for, where there are no fonts, and text without a font has no height. */
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`

export interface BrowserProgram {
  readonly executablePath: string
  /** Variables that the browser needs beside those of this process. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Finds a Chromium: the one `CHROMIUM` names, else the headless shell of the npm package (Linux x64), else an installed one.
 * Returns undefined when there is none.
 */
export function findBrowserProgram(): BrowserProgram | undefined {
  const named = process.env.CHROMIUM
  if (named) return { executablePath: named, env: {} }
  if (process.platform === 'linux' && process.arch === 'x64') return unpackProgram()
  const executablePath = INSTALLED.find((file) => existsSync(file))
  return executablePath === undefined ? undefined : { executablePath, env: {} }
}

/** Unpacks once for each version. Two processes may do it at the same time: the second rename fails, and the first folder is used. */
function unpackProgram(): BrowserProgram {
  const packed = join(createRequire(import.meta.url).resolve('@sparticuz/chromium'), '..', '..')
  const { version }: { version: string } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'))
  const folder = join(CACHE, `chromium-${version}`)
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true })
    const unfinished = mkdtempSync(join(CACHE, 'chromium-unfinished-'))
    unpackInto(unfinished, join(packed, 'bin'))
    writeFileSync(join(unfinished, 'fonts', 'fonts.conf'), FONTS_CONF)
    try {
      renameSync(unfinished, folder)
    } catch (error) {
      rmSync(unfinished, { recursive: true })
      if (!existsSync(folder)) throw error
    }
  }
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_PATH: join(folder, 'fonts') },
  }
}

function unpackInto(folder: string, packed: string): void {
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', UNPACK, packed], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: folder },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`@sparticuz/chromium cannot be unpacked into ${folder}: ${stderr}`)
}
