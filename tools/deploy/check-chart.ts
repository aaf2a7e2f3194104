import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.ts'

const CHART = join(root, 'deploy/helm/countersign')
const CACHE = join(root, 'node_modules/.cache/deploy')
const HELM_VERSION = 'v3.19.0'
/** Without it helm assumes an old one. */
const KUBERNETES = '--kube-version=1.31.0'

/** Values that turn everything on. */
const ALL = [
  'serviceMonitor.enabled=true',
  'serviceMonitor.labels.release=prometheus',
  'adminPassword.secretName=admin',
  'networkPolicy.scrapers[0].namespaceSelector.matchLabels.name=monitoring',
  'networkPolicy.clients[0].ipBlock.cidr=10.0.0.0/8',
  'settings.workers=2',
  'service.type=LoadBalancer',
  'nodeSelector.disk=ssd',
  `image.digest=sha256:${'0'.repeat(64)}`,
]
const REFUSED = ['replicas=0', 'ca.secretName=', 'advertise[0]=https://x', 'unknown=1', 'image.digest=latest']
const KINDS = ['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service']

/** Lints the chart, renders it with several values, and decodes what is rendered. A wrong member is found, and wrong values are refused. */
export async function checkChart(): Promise<void> {
  const helm = buildHelm()
  const decoder = buildDecoder()
  execFileSync(helm, ['lint', '--strict', '--quiet', CHART], { stdio: ['ignore', 'inherit', 'inherit'] })
  const render = (values: readonly string[]) =>
    spawnSync(helm, ['template', 'test', CHART, KUBERNETES, ...values.map((value) => `--set=${value}`)], {
      encoding: 'utf8',
    })
  const decode = (manifests: string) => spawnSync(decoder, { input: manifests, encoding: 'utf8' })
  for (const [values, more] of [
    [[], []],
    [ALL, ['ServiceMonitor']],
  ] as const) {
    const { status, stdout, stderr } = render(values)
    assert.equal(status, 0, stderr)
    const decoded = decode(stdout)
    assert.equal(decoded.status, 0, decoded.stderr)
    const kinds = new Set(
      decoded.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[1]),
    )
    assert.deepEqual([...kinds].toSorted(), [...KINDS, ...more].toSorted())
    assert.ok(stdout.includes('readOnlyRootFilesystem: true') && stdout.includes('runAsNonRoot: true'))
  }
  const misspelt = render([]).stdout.replace('maxUnavailable: 0', 'maxUnavailble: 0')
  assert.notEqual(decode(misspelt).status, 0, 'a misspelt member must be found')
  for (const value of REFUSED) assert.notEqual(render([value]).status, 0, `${value} must be refused`)
  console.log(`linted, rendered and decoded: ${KINDS.join(', ')}, ServiceMonitor`)
}

function buildHelm(): string {
  const helm = join(CACHE, `helm-${HELM_VERSION}/helm`)
  if (!existsSync(helm)) {
    const env = { ...process.env, GOBIN: join(CACHE, `helm-${HELM_VERSION}`), GOFLAGS: '-mod=mod' }
    execFileSync('go', ['install', `helm.sh/helm/v3/cmd/helm@${HELM_VERSION}`], { env, cwd: root, stdio: 'inherit' })
  }
  return helm
}

function buildDecoder(): string {
  const decoder = join(CACHE, 'decode')
  mkdirSync(CACHE, { recursive: true })
  execFileSync('go', ['build', '-o', decoder, '.'], { cwd: join(root, 'tools/deploy/decode'), stdio: 'inherit' })
  return decoder
}
