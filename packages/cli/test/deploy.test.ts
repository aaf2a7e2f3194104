import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { runCaptured } from './captured-run.ts'

const pathOf = (name: string): string => fileURLToPath(new URL(`../../../deploy/${name}`, import.meta.url))
const read = (name: string): string => readFileSync(pathOf(name), 'utf8')

interface Service {
  readonly image?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly networks?: Readonly<Record<string, { readonly ipv4_address: string }>>
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** The `.env` file of the guide. */
const SECRETS: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: 'one',
  COUNTERSIGN_ADMIN_PASSWORD: 'twelve',
  COUNTERSIGN_SEALING_KEY: 'ab'.repeat(32),
}

const compose: ComposeFile = parse(read('compose.yaml'), { merge: true })
const services = Object.entries(compose.services)

function fill(text: string): string {
  return text.replaceAll(/\$\{(\w+)(?::\?|:-([^}]*))\}/g, (_, name: string, other?: string) => {
    return SECRETS[name] ?? other ?? assert.fail(`${name} has no value`)
  })
}

const settingsOf = ({ environment = {} }: Service): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]))

const isAccepted = async (words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<boolean> => {
  const { exitCode, stderr } = await runCaptured(['config', 'show', ...words], { env })
  if (exitCode !== 0) assert.match(stderr, /^error: /)
  return exitCode === 0
}

test('every service of the compose file references existing services and volumes', () => {
  for (const [name, { volumes = [], depends_on = {} }] of services) {
    for (const other of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on)) {
      assert.ok(compose.services[other], `${name} waits for ${other}`)
    }
    for (const volume of volumes) {
      const source = volume.split(':')[0] ?? ''
      assert.ok(source.startsWith('.') ? read(source) : source in compose.volumes, `${name} mounts ${volume}`)
    }
  }
})

test('the nodes of the compose file have equal and valid settings', async () => {
  const nodes = services.filter(([name]) => name.startsWith('node-'))
  assert.equal(nodes.length, 2)
  const [first, second] = nodes.map(([, node]) => settingsOf(node))
  assert.deepEqual(first, second)
  assert.ok(await isAccepted([], first ?? {}))
  assert.ok(!(await isAccepted([], { ...first, COUNTERSIGN_SEALINGKEY: 'x' })), 'an unknown name is refused')
})

test("R-19 the nodes of the compose file trust the proxy alone for the client's address, and keep all limits", () => {
  const address = compose.services.proxy?.networks?.default?.ipv4_address
  assert.ok(address)
  assert.match(read('proxy.conf'), /^ {4}proxy_protocol on;$/m)
  for (const [, node] of services.filter(([name]) => name.startsWith('node-'))) {
    const settings = settingsOf(node)
    assert.equal(settings.COUNTERSIGN_HTTP_PROXY_PROTOCOL, address)
    assert.deepEqual(
      Object.keys(settings).filter((name) => name.startsWith('COUNTERSIGN_LIMITS')),
      [],
    )
  }
})

test('the proxy forwards TLS to every node and to nothing else', () => {
  const upstreams = [...read('proxy.conf').matchAll(/^ {4}server (\S+):(\d+) /gm)].map(([, name, port]) => [name, port])
  const nodes = services.map(([name]) => name).filter((name) => name.startsWith('node-'))
  const [, port = ''] = /COUNTERSIGN_PORT=(\d+)/.exec(read('Containerfile')) ?? []
  assert.deepEqual(
    upstreams,
    nodes.map((name) => [name, port]),
  )
  assert.ok(!/ssl_|\bhttp\b/.test(read('proxy.conf')))
})

test('the container runs the command as an unprivileged user, with valid settings', async () => {
  const file = read('Containerfile')
  const settings = Object.fromEntries(
    [...file.matchAll(/(COUNTERSIGN_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  )
  assert.ok(await isAccepted([], settings as Record<string, string>))
  assert.deepEqual(settings.COUNTERSIGN_DATA_DIR, /^VOLUME (.*)$/m.exec(file)?.[1])
  assert.match(file, /^USER 65532:65532$/m)
  const last = file.slice(file.lastIndexOf('FROM'))
  assert.ok(last.indexOf('USER 65532') < last.indexOf('ENTRYPOINT'))
  assert.ok(!/^RUN /m.test(file), 'no step runs a program')
  assert.equal((await runCaptured([...JSON.parse(/^CMD (.*)$/m.exec(file)?.[1] ?? '[]'), '--help'])).exitCode, 0)
})

test('the systemd unit starts the command with a valid settings file', async () => {
  const lines = read('countersign.service').split('\n')
  for (const line of lines) assert.match(line, /^(|#.*|\[(Unit|Service|Install)\]|[A-Z]\w*=.*)$/)
  const start = lines.find((line) => line.startsWith('ExecStart=')) ?? ''
  const [, command = '', ...words] = start.split(' ')
  assert.equal(command, 'up')
  const flags = words.map((word) => (word === '/etc/countersign/countersign.yaml' ? pathOf('countersign.yaml') : word))
  assert.ok(await isAccepted(flags))
  assert.ok(!(await isAccepted([...flags, '--no-such-flag'])))
  for (const hardening of [
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'CapabilityBoundingSet=',
    'User=countersign',
  ]) {
    assert.ok(lines.includes(hardening), hardening)
  }
})

const UNIT_LINE = /^(|#.*|\[(Unit|Service|Timer|Install)\]|[A-Z]\w*=.*)$/
const SECONDS: Readonly<Record<string, number>> = { min: 60, h: 3600 }
const PUSHED = ['signers', 'push-keys']

test('the timer that pushes keys runs its unit, whose command has flags that exist', async () => {
  const [service, timer] = ['service', 'timer'].map((kind) => read(`countersign-push-keys.${kind}`).split('\n'))
  for (const line of [...(service ?? []), ...(timer ?? [])]) assert.match(line, UNIT_LINE)
  const start = service?.find((line) => line.startsWith('ExecStart=')) ?? ''
  const [, ...words] = start.replaceAll(/\$\{\w+\}/g, 'x').split(' ')
  assert.deepEqual(words.slice(0, 2), PUSHED)
  assert.equal((await runCaptured([...words, '--help'])).exitCode, 0)
  assert.notEqual((await runCaptured([...words, '--no-such-flag', '--help'])).exitCode, 0)
  for (const line of ['Type=oneshot', 'DynamicUser=yes', 'NoNewPrivileges=yes', 'ProtectSystem=strict']) {
    assert.ok(service?.includes(line), line)
  }
  const [, count = '', unit = ''] = /^OnUnitActiveSec=(\d+)(\w+)$/m.exec(timer?.join('\n') ?? '') ?? []
  assert.equal(Number(count) * (SECONDS[unit] ?? 0), 900, 'every 15 minutes, as docs/signer-keys.md says')
  assert.ok(timer?.includes('WantedBy=timers.target'))
})

test('the CronJob that pushes keys has flags that exist, no privileges, and its credentials from a secret', async () => {
  const job = parse(read('push-keys-cronjob.yaml'))
  assert.deepEqual([job.apiVersion, job.kind, job.spec.schedule], ['batch/v1', 'CronJob', '*/15 * * * *'])
  const { containers, volumes, securityContext, automountServiceAccountToken } = job.spec.jobTemplate.spec.template.spec
  const [{ args, env, volumeMounts, securityContext: own }] = containers
  assert.deepEqual(args.slice(0, 2), PUSHED)
  assert.equal((await runCaptured([...args, '--help'])).exitCode, 0)
  assert.notEqual((await runCaptured([...args, '--no-such-flag', '--help'])).exitCode, 0)
  assert.deepEqual(
    [
      securityContext.runAsNonRoot,
      own.allowPrivilegeEscalation,
      own.readOnlyRootFilesystem,
      automountServiceAccountToken,
    ],
    [true, false, true, false],
  )
  for (const { name } of volumeMounts)
    assert.ok(
      volumes.some((volume: { name: string }) => volume.name === name),
      name,
    )
  const folder = volumeMounts.find(({ name }: { name: string }) => name === 'account').mountPath
  assert.ok(args[args.indexOf('--credentials') + 1].startsWith(`${folder}/`))
  assert.ok(env.some(({ name }: { name: string }) => name === 'COUNTERSIGN_HOSTED_URL'))
})
