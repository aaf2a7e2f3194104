import { readFileSync } from 'node:fs'

/** The version of this package. The manifest is one folder above both `src` and `dist`. */
export function loadVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return manifest.version
}
