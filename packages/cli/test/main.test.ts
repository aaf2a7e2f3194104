import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMANDS } from '../src/commands.ts'
import { main } from '../src/main.ts'
import { runCaptured } from './captured-run.ts'

test('without a command it prints the overview on stderr and exits with status 2', async () => {
  const { exitCode, stdout, stderr } = await runCaptured([])
  assert.deepEqual([exitCode, stdout], [2, ''])
  for (const row of COMMANDS) assert.ok(stderr.includes(`  ${row.name} `), row.name)
})

for (const words of [['help'], ['--help'], ['-h']]) {
  test(`"countersign ${words.join(' ')}" lists every command on stdout`, async () => {
    const { exitCode, stdout, stderr } = await runCaptured(words)
    assert.deepEqual([exitCode, stderr], [0, ''])
    for (const row of COMMANDS) assert.ok(stdout.includes(`  ${row.name} `), row.name)
  })
}

for (const { name, summary } of COMMANDS) {
  test(`"countersign ${name} --help" shows usage, flags and an example, as "countersign help ${name}" does`, async () => {
    const { exitCode, stdout, stderr } = await runCaptured([...name.split(' '), '--help'])
    assert.deepEqual([exitCode, stderr], [0, ''])
    assert.ok(stdout.startsWith(`${summary}\n\nUsage: countersign ${name}`))
    const examples = stdout.slice(stdout.indexOf('\nExamples:\n'))
    assert.match(examples, new RegExp(`^  .*countersign ${name}`, 'm'))
    assert.equal((await runCaptured(['help', ...name.split(' ')])).stdout, stdout)
    assert.equal((await runCaptured([...name.split(' '), '-h'])).stdout, stdout)
  })
}

test('help of delete names its argument: sessions have no names', async () => {
  const sessions = await runCaptured(['sessions', 'delete', '--help'])
  assert.match(sessions.stdout, /^Usage: countersign sessions delete ID /m)
  assert.ok(!sessions.stdout.includes('by name'), sessions.stdout)
  const signers = await runCaptured(['signers', 'delete', '--help'])
  assert.match(signers.stdout, /^Usage: countersign signers delete NAME /m)
  assert.match(signers.stdout, /by name or id/)
})

test('the example commands in help are valid', async () => {
  const { parseFlags } = await import('../src/parse-flags.ts')
  let seen = 0
  for (const row of COMMANDS) {
    const command = await row.load()
    for (const example of command.examples) {
      // What is quoted is one word of a shell.
      const line = example.command.slice(example.command.indexOf('countersign ')).replace('"$(mktemp -d)"', 'directory')
      const words = line.match(/(?:'[^']*'|[^\s'])+/g)?.slice(1) ?? []
      parseFlags(row.name, command, words.slice(row.name.split(' ').length))
      seen++
    }
  }
  assert.ok(seen >= COMMANDS.length)
})

for (const words of [['version'], ['--version']]) {
  test(`"countersign ${words.join(' ')}" prints the version`, async () => {
    const { exitCode, stdout } = await runCaptured(words)
    assert.equal(exitCode, 0)
    assert.match(stdout, /^countersign \d+\.\d+\.\d+ \(node \d+\.\d+\.\d+\)\n$/)
  })
}

/** An invalid command line, its error, and a valid one that differs in one detail. */
const MISTAKES: readonly (readonly [wrong: readonly string[], expected: RegExp, right: readonly string[]])[] = [
  [['verison'], /there is no command "verison"/, ['version']],
  [['config'], /"config" needs a subcommand/, ['config', 'show']],
  [['config', 'shwo'], /there is no command "config shwo"/, ['config', 'show']],
  [['--json', 'config', 'show'], /flag "--json" before the command/, ['config', 'show', '--json']],
  [['config', 'show', '--prot', '1'], /has no flag --prot/, ['config', 'show', '--port', '1']],
  [['config', 'show', '-p', '1'], /has no flag -p/, ['config', 'show', '--port', '1']],
  [['config', 'show', '--port'], /--port needs a value/, ['config', 'show', '--port', '1']],
  [['config', 'show', '--port', '--json'], /--port needs a value/, ['config', 'show', '--port=1', '--json']],
  [['config', 'show', '--port='], /--port needs a value/, ['config', 'show', '--port=1']],
  [['config', 'show', '--json=1'], /--json takes no value/, ['config', 'show', '--json']],
  [['config', 'show', '--no-json'], /has no flag --no-json/, ['config', 'show', '--no-dev']],
  [['config', 'show', 'now'], /has no argument "now"/, ['config', 'show']],
  [['help', 'verison'], /there is no command "verison"/, ['help', 'version']],
  [['help', 'up', 'now'], /there is no command "up now"/, ['help', 'up']],
  [['backup'], /needs FILE/, ['backup', '--help']],
  [['config', 'show', '-o', 'csv'], /-o cannot be "csv"/, ['config', 'show', '-o', 'json']],
  [['completion', 'bsh'], /there is no completion for "bsh"/, ['completion', 'bash']],
  [['config', 'show', '--port', '65536'], /flag --port: must be/, ['config', 'show', '--port', '65535']],
]

for (const [wrong, expected, right] of MISTAKES) {
  test(`"countersign ${wrong.join(' ')}" is a usage error, "countersign ${right.join(' ')}" is not`, async () => {
    const refused = await runCaptured(wrong)
    assert.deepEqual([refused.exitCode, refused.stdout], [2, ''])
    const [error = '', hint = '', ...rest] = refused.stderr.split('\n')
    assert.match(error, expected)
    assert.ok(error.startsWith('error: ') && hint.startsWith('hint: ') && rest.join('') === '', refused.stderr)
    assert.equal((await runCaptured(right)).exitCode, 0)
  })
}

const HINTS: readonly (readonly [words: readonly string[], hint: string])[] = [
  [['verison'], 'did you mean "countersign version"?'],
  [['config', 'shwo'], 'did you mean "countersign config show"?'],
  [['sigers', 'lst'], 'did you mean "countersign signers list"?'],
  [['list', 'signers'], 'did you mean "countersign signers list"?'],
  [['help', 'singers'], 'did you mean "countersign signers"?'],
  [['config', 'show', '--prot', '1'], 'did you mean --port? "countersign config show --help" lists the flags'],
  [['signers', 'list', '--json'], 'did you mean -o json? "countersign signers list --help" lists the flags'],
  [['signers', 'list', '-o', 'jason'], 'did you mean json?'],
  [['policies', 'create', 'x', '--no-allow-crt'], '"countersign policies create --help" lists the flags'],
]

for (const [words, hint] of HINTS) {
  test(`"countersign ${words.join(' ')}" suggests what is meant`, async () => {
    const { exitCode, stderr } = await runCaptured(words)
    assert.equal(exitCode, 2)
    assert.ok(
      stderr.split('\n').some((line) => line.startsWith('hint: ') && line.endsWith(hint)),
      stderr,
    )
  })
}

test('"get" is another word for "show", everywhere', async () => {
  const shows = COMMANDS.filter(({ name }) => name.endsWith(' show'))
  assert.ok(shows.length > 10)
  assert.ok(!COMMANDS.some(({ name }) => name.endsWith(' get')))
  for (const { name } of shows) {
    const [noun = ''] = name.split(' ')
    const expected = await runCaptured(['help', noun, 'show'])
    assert.equal(expected.exitCode, 0)
    assert.deepEqual(await runCaptured(['help', noun, 'get']), expected)
    assert.deepEqual(await runCaptured([noun, 'get', '--help']), expected)
  }
})

test('"countersign NOUN --help" and "countersign help NOUN" list the commands of the noun, each with an example', async () => {
  const nouns = new Set(COMMANDS.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])))
  assert.ok(nouns.size > 10)
  for (const noun of nouns) {
    const { exitCode, stdout } = await runCaptured([noun, '--help'])
    assert.equal(exitCode, 0, noun)
    assert.deepEqual((await runCaptured(['help', noun])).stdout, stdout)
    assert.deepEqual((await runCaptured([noun, '-h'])).stdout, stdout)
    const examples = stdout.slice(stdout.indexOf('\nExamples:\n'))
    for (const { name, summary } of COMMANDS.filter((row) => row.name.startsWith(`${noun} `))) {
      assert.match(stdout, new RegExp(`^  ${name} +${summary.replaceAll(/[()|[\]]/g, '.')}$`, 'm'))
      assert.match(examples, new RegExp(`^  .*countersign ${name}`, 'm'))
    }
  }
})

test('a later --no-dev wins over an earlier --dev', async () => {
  const { stdout } = await runCaptured(['config', 'show', '--json', '--dev', '--no-dev'])
  assert.deepEqual(JSON.parse(stdout).dev, { value: false, origin: 'flag' })
})

test('Q-22 untrusted text cannot control the terminal, and colours are for terminals only', async () => {
  const hostile = '\x1b[2J\u009b1m\u202e'
  const plain = await runCaptured([`no${hostile}\nerror: forged`])
  assert.match(plain.stderr, /^error: there is no command "no.* error: forged"\nhint: .*\n$/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not occur
  assert.doesNotMatch(plain.stderr, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
  const coloured = await runCaptured(['no'], { isTTY: true })
  assert.ok(coloured.stderr.startsWith('\x1b[1;31merror:\x1b[0m there is no'))
  const uncoloured = await runCaptured(['no'], { isTTY: true, env: { NO_COLOR: '1' } })
  assert.ok(uncoloured.stderr.startsWith('error: there is no'))
})

test('Q-22 JSON keeps control characters, escaped', async () => {
  const { stdout } = await runCaptured(['config', 'show', '--json', '--data-dir', 'a\u202eb'])
  assert.ok(stdout.includes('a\\u202eb') && !stdout.includes('\u202e'))
  assert.equal(JSON.parse(stdout).dataDir.value, 'a\u202eb')
})

test('an unexpected error asks for a report, and shows the stack only with COUNTERSIGN_DEBUG', async () => {
  for (const [env, hasStack] of [
    [{}, false],
    [{ COUNTERSIGN_DEBUG: '1' }, true],
  ] as const) {
    const lines: string[] = []
    const failing = () => {
      throw new Error('boom')
    }
    const terminal = {
      out: failing,
      note: (line: string) => lines.push(line),
      notice: () => {},
      debug: () => {},
      error: (...texts: string[]) => lines.push(...texts),
      columns: undefined,
    }
    assert.equal(await main(['version'], terminal, env), 1)
    assert.equal(lines[0], 'unexpected error: boom')
    assert.match(lines[1] ?? '', /please report this/)
    assert.equal(
      lines.some((line) => line.includes('main.test.ts')),
      hasStack,
    )
  }
})

test('Q-07 CSV, whose cells a spreadsheet could execute, is not an output format', async () => {
  const { getFormat } = await import('../src/output/print-result.ts')
  for (const output of ['table', 'json', 'yaml', 'name']) assert.equal(getFormat({ flags: { output } }), output)
  assert.throws(() => getFormat({ flags: { output: 'csv' } }), /there is no output format "csv"/)
})
