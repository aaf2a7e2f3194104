import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const STAND_IN = fileURLToPath(new URL('./curl-stand-in.ts', import.meta.url))

/** Empty when the machine has curl, otherwise a shell function that replaces it. */
export function curl(): string {
  if (spawnSync('curl', ['--version']).status === 0) return ''
  return `curl() { '${process.execPath}' --disable-warning=ExperimentalWarning '${STAND_IN}' "$@"; }`
}
