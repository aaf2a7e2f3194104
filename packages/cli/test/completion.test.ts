import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { COMMAND } from '@countersign/testkit'
import { COMMANDS } from '../src/commands.ts'
import { runCaptured } from './captured-run.ts'

async function complete(shell: string, ...words: string[]): Promise<string[]> {
  const { exitCode, stdout, stderr } = await runCaptured(['__complete', shell, ...words], { env: { HOME: '/nowhere' } })
  assert.deepEqual([exitCode, stderr], [0, ''])
  return stdout.split('\n').slice(0, -1)
}

test('every command is completed, word by word', async () => {
  for (const { name } of COMMANDS) {
    const [noun = '', verb] = name.split(' ')
    assert.ok((await complete('bash', noun.slice(0, -1))).includes(noun), name)
    if (verb !== undefined) assert.ok((await complete('bash', noun, '')).includes(verb), name)
    assert.ok((await complete('bash', 'help', ...(verb === undefined ? [''] : [noun, '']))).includes(verb ?? noun))
  }
})

test('every flag of every command is completed', async () => {
  for (const { name, load } of COMMANDS) {
    const { flags } = await load()
    const words = await complete('bash', ...name.split(' '), '--')
    for (const flag of flags) assert.ok(words.includes(`--${flag.name}`), `${name} --${flag.name}`)
    assert.ok(words.includes('--help'))
  }
})

const LINES: readonly (readonly [words: string[], expected: string[]])[] = [
  [
    ['signers', 'list', '-o', ''],
    ['table', 'json', 'yaml', 'name'],
  ],
  [['signers', 'list', '--output', 'j'], ['json']],
  [['signers', 'list', '--output', '=', 'j'], ['json']],
  [
    ['signers', 'list', '--output', '='],
    ['table', 'json', 'yaml', 'name'],
  ],
  [
    ['signers', 'create', 'x', '--target-token', ''],
    ['ACCESS', 'ID'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [
    ['api', 'P'],
    ['POST', 'PUT', 'PATCH'],
  ],
  [['apply', '-f', ''], [':files']],
  [['enroll', ''], [':files']],
  [['enroll', 'token.jwt', ''], []],
  [['policies', 'create', ''], []],
  [['policies', 'create', 'x', '--no-allow-c'], ['--no-allow-cert']],
  [['nothing', ''], []],
  [['signers', 'show', ''], []],
]

for (const [words, expected] of LINES) {
  test(`"countersign ${words.join(' ')}" is completed with ${expected.join(', ') || 'nothing'}`, async () => {
    assert.deepEqual((await complete('bash', ...words)).toSorted(), expected.toSorted())
  })
}

test('a flag that was given is not offered again, unless it can be repeated', async () => {
  assert.deepEqual(await complete('bash', 'events', 'tail', '--count', '1', '--co'), [])
  assert.deepEqual(await complete('bash', 'events', 'tail', '--namespace', 'a', '--name'), ['--namespace'])
})

test('zsh gets descriptions with escaped words, fish gets them after two spaces', async () => {
  assert.deepEqual(await complete('zsh', 'signers', 'lis'), ['list:List the External JWT Signers'])
  assert.deepEqual(await complete('fish', 'signers', 'lis'), ['list  List the External JWT Signers'])
  assert.deepEqual(await complete('zsh', 'signers', 'list', '--output=j'), ['--output=json'])
})

test('profiles are completed from the files of the user', async (t) => {
  const home = createFolder(t)
  mkdirSync(join(home, '.config/countersign/profiles'), { recursive: true })
  writeFileSync(join(home, '.config/countersign/profiles/ci.json'), '{}')
  const { stdout } = await runCaptured(['__complete', 'bash', 'whoami', '--profile', ''], { env: { HOME: home } })
  assert.equal(stdout, 'ci\n')
})

test('a shell that is not known has no script, and the one that is meant is suggested', async () => {
  const { exitCode, stderr } = await runCaptured(['completion', 'bsah'])
  assert.equal(exitCode, 2)
  assert.match(stderr, /hint: did you mean bash/)
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { exitCode: ok, stdout } = await runCaptured(['completion', shell])
    assert.equal(ok, 0)
    assert.match(stdout, /__complete/)
  }
})

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-completion-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Loads the script in a real bash and asks it what it would put on the command line. */
test('a real bash completes commands, flags, values and files', async (t) => {
  const folder = createFolder(t)
  const shim = join(folder, 'countersign')
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`, { mode: 0o755 })
  writeFileSync(join(folder, 'state file.yaml'), '')
  const script = `
    set -u
    eval "$(countersign completion bash)"
    ask() {
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      $(complete -p countersign | sed 's/.*-F \\([^ ]*\\) .*/\\1/') countersign
      (IFS=,; echo "\${COMPREPLY[*]}")
    }
    ask countersign sign
    ask countersign signers list --out
    ask countersign signers list --output = js
    ask countersign apply -f sta`
  const stdout = execFileSync('bash', ['--norc', '-c', script], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder },
    encoding: 'utf8',
  })
  assert.deepEqual(stdout.trimEnd().split('\n'), ['signers', '--output', 'json', 'state file.yaml'])
})
