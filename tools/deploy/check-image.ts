import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildImage } from '../image/build-image.ts'
import { makeBase } from '../image/make-base.ts'
import { stageImage } from '../image/stage-image.ts'

const BASE = 'localhost/countersign-base'
const TAG = 'localhost/countersign-check'
const NAME = `countersign-check-${process.pid}`
const PORT = '21280'
/** runc and cgroupfs also work where systemd does not run; the limits must not exceed those of the machine. */
const PODMAN = ['--runtime=/usr/sbin/runc', '--cgroup-manager=cgroupfs']
const SANDBOX = [
  '--read-only',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
  '--network=host',
  '--no-healthcheck',
  '--ulimit=nofile=4096:4096',
  '--ulimit=nproc=1024:1024',
]
const READY_MS = 60_000

/** Builds the image and its base twice from nothing, compares both, and runs it read-only without rights. */
export async function checkImage(): Promise<void> {
  installEngines()
  const ids: string[] = []
  for (const _ of ['first', 'second']) {
    buildBase()
    buildImage({ engine: 'buildah', stage: await stageImage(), tag: TAG, base: BASE })
    ids.push(podman('image', 'inspect', '--format={{.Id}}', TAG))
  }
  assert.equal(ids[0], ids[1], 'two builds have the same id, the digest of the configuration and of every layer')
  console.log(`reproducible: both builds are ${ids[0]}`)
  const [image] = JSON.parse(podman('image', 'inspect', TAG))
  assert.equal(image.Config.User, '65532:65532')
  assert.deepEqual(image.Healthcheck?.Test.slice(0, 2), ['CMD', '/usr/local/bin/node'])
  try {
    await runImage()
  } finally {
    spawnSync('podman', [...PODMAN, 'rm', '--force', '--ignore', '--volumes', NAME])
    spawnSync('podman', [...PODMAN, 'image', 'rm', TAG, BASE])
  }
}

function buildBase(): void {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-base-'))
  try {
    makeBase(folder, BASE)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runImage(): Promise<void> {
  const settings = { COUNTERSIGN_HOST: '127.0.0.1', COUNTERSIGN_PORT: PORT, COUNTERSIGN_METRICS_PORT: '0' }
  const env = Object.entries(settings).map(([name, value]) => `--env=${name}=${value}`)
  podman('run', '--detach', `--name=${NAME}`, ...SANDBOX, ...env, TAG)
  const inside = (script: string) => podman('exec', NAME, '/usr/local/bin/node', '-e', script)
  const isHealthy = () => spawnSync('podman', [...PODMAN, 'exec', NAME, ...HEALTH_CHECK]).status === 0
  for (const until = Date.now() + READY_MS; !isHealthy(); await sleep(500)) {
    assert.ok(Date.now() < until, `the container is not healthy: ${podman('logs', NAME)}`)
  }
  assert.equal(await statusOf('/version'), 200)
  assert.equal(inside('console.log(process.getuid())'), '65532')
  const write = (path: string) =>
    inside(`try { fs.writeFileSync('${path}', ''); console.log('written') } catch (e) { console.log(e.code) }`)
  assert.deepEqual(
    [write('/x'), write('/opt/countersign/x'), write('/var/lib/countersign/x')],
    ['EROFS', 'EROFS', 'written'],
  )
  const parts = inside(`console.log(JSON.parse(fs.readFileSync('/opt/countersign/sbom.cdx.json')).components.length)`)
  assert.ok(Number(parts) > 20, `the list of contents has ${parts} parts`)
  podman('stop', '--time=15', NAME)
  assert.equal(podman('inspect', '--format={{.State.ExitCode}}', NAME), '0', 'it stops by SIGTERM')
  console.log(`started as 65532 on a read-only file system, healthy, ${parts} parts listed, stopped with 0`)
}

const HEALTH_CHECK = ['/usr/local/bin/node', '/opt/countersign/health-check.js']

function podman(...words: readonly string[]): string {
  return execFileSync('podman', [...PODMAN, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}

function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: PORT, path, rejectUnauthorized: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

function installEngines(): void {
  const missing = ['buildah', 'podman', 'runc'].filter((name) => spawnSync(name, ['--version']).status !== 0)
  if (missing.length === 0) return
  execFileSync('apt-get', ['update', '--quiet=2'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const words = ['install', '--yes', '--quiet=2', '--no-install-recommends', ...missing]
  execFileSync('apt-get', words, { stdio: ['ignore', 'ignore', 'inherit'] })
}
