import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Removes from the configuration of an image what names the container that it was built in, and the local id of its base: both are random, and would
 * change the image's id with every build. Only the Docker format has them, and only that format has health checks.
 */
export function settleConfig(engine: 'buildah' | 'podman', tag: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-image-'))
  const run = (...words: readonly string[]) =>
    execFileSync(engine, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
  try {
    run('push', '--quiet', tag, `dir:${folder}`)
    const manifestFile = join(folder, 'manifest.json')
    const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'))
    const settled = settle(JSON.parse(readFileSync(join(folder, nameOf(manifest.config.digest)), 'utf8')))
    const digest = `sha256:${createHash('sha256').update(settled).digest('hex')}`
    writeFileSync(join(folder, nameOf(digest)), settled)
    manifest.config = { ...manifest.config, digest, size: Buffer.byteLength(settled) }
    writeFileSync(manifestFile, JSON.stringify(manifest))
    run('rmi', '--force', tag)
    run('tag', run('pull', '--quiet', `dir:${folder}`), tag)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const nameOf = (digest: string): string => digest.replace(/^sha256:/, '')

/** `container_config` repeats `config` as the builder had it; engines do not read it. */
function settle({ container: _id, container_config: _repeated, parent: _base, config, ...kept }: ImageConfig): string {
  return JSON.stringify({ ...kept, config: { ...config, Hostname: '' } })
}

interface ImageConfig {
  readonly container?: string
  readonly container_config?: object
  readonly parent?: string
  readonly config: object
}
