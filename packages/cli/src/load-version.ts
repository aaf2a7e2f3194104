import { readFileSync } from 'node:fs'

/** The version of this package, of which source and built form lie one folder below the manifest. */
export function loadVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return manifest.version
}
