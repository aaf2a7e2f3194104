import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { COMMAND, createControllerStage } from '@countersign/testkit'
import { root } from '../../tools/paths.ts'
import { curl } from './curl.ts'

const TOUR = /^## A five-minute tour$(.*?)^## /ms
const BLOCKS = /^```sh\n(.*?)^```$/gms

/** The commands of the tour, without the one that starts the controller. */
function readTour(): string[] {
  const [, tour = ''] = TOUR.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  return [...tour.matchAll(BLOCKS)].map(([, block = '']) => block).filter((block) => !block.includes('npm start'))
}

function runShell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-u'], { cwd, env })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.once('error', reject)
    child.once('close', () => resolve(output))
    child.stdin.end(script)
  })
}

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'the tour needs openssl'

test('the commands of the tour run one after another, and only its mistake is refused', { skip }, async (t) => {
  const stage = createControllerStage(t)
  const folder = join(stage.folder, 'clone')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  const { ready } = await stage.start({
    args: ['--dev'],
    dataDir: join(folder, '.countersign'),
    env: { COUNTERSIGN_ADMIN_PASSWORD: 'five-minute-tour' },
  })
  const npx = join(folder, 'bin/npx')
  writeFileSync(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${COMMAND}' "$@"\n`)
  chmodSync(npx, 0o755)
  const blocks = readTour()
  assert.ok(blocks.length > 10)
  const script = [curl(), ...blocks.map((block, index) => `echo "== ${index}"\n${block}`)]
    .join('\n')
    .replaceAll('https://127.0.0.1:1280', ready.baseUrl)
    .replaceAll('http://127.0.0.1:1282', ready.identityProviderUrl ?? '')
    .replaceAll('/tmp/', `${folder}/`)
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder, LANG: 'C.UTF-8' }
  const output = await runShell(script, folder, env)
  const errors = output.match(/"error":|^error: .*/gm) ?? []
  assert.deepEqual(errors, ['"error":'], output)
  for (const expected of [
    /created signer globex/,
    /"commonName":"build server"/,
    /logged in to .+ as robot \(profile robot\)/,
    /✘ audience/,
    /updated signer builds/,
    /only one of jwksEndpoint or certPem may be defined/,
    /deleted signer globex/,
    / {4}audience: "overlay" → "overlay-2"\n/,
    /done: 1 of 1/,
    /ApiAccountIdentity/,
  ])
    assert.match(output, expected)
  assert.doesNotMatch(output, /command not found|unbound variable|syntax error/)
})
