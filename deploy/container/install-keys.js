/** `install-keys.js FROM TO`: copies the files of a CA to a key directory that only its owner can read, unless they are there. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const KEY_FILES = new Set([
  'ca.pem',
  'intermediate.crt',
  'intermediate.key',
  'intermediates.pem',
  'root.key',
  'further-cas.pem',
])
const [from = '', to = ''] = process.argv.slice(2)
mkdirSync(to, { recursive: true, mode: 0o700 })
chmodSync(to, 0o700)
for (const name of readdirSync(from).filter((file) => KEY_FILES.has(file))) {
  const target = join(to, name)
  if (existsSync(target)) continue
  copyFileSync(join(from, name), target)
  chmodSync(target, 0o600)
}
