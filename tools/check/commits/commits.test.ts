import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { makeFolder } from '../../temporary-folder.fixture.ts'
import { findFaults } from './find-faults.ts'
import { loadHistory, readCommits } from './read-commits.ts'

const faultsOf = (subject: string, body = '') => findFaults({ hash: '1234567', subject, body })

test('good subjects pass', () => {
  for (const subject of [
    'login: bind sessions to the expiry of the token',
    'console, cli: hold that every signer member can be set',
    'docs: walk inwards, and check that walks go down only',
    'tools: check rooms, circles and SQL from tables',
    'server: give logins, enrollments and hosted calls named methods',
    'core/token: pass the clock as an argument',
    `http: ${'make '.padEnd(66, 'x')}`,
  ]) {
    assert.deepEqual(faultsOf(subject), [], subject)
  }
})

test('subjects of another shape, mood or length are refused', () => {
  for (const subject of [
    'Login: bind sessions',
    'login bind sessions',
    'login: Bind sessions',
    'login: binds sessions',
    'login: binding sessions',
    'login: the sessions are bound',
    'login: bind sessions.',
    'login: bind sessions, drop a table, and rename a view',
    'login: bind sessions; drop a table',
    'login: bind a, b, c and d',
    `http: ${'make '.padEnd(67, 'x')}`,
  ]) {
    assert.equal(faultsOf(subject).length, 1, subject)
  }
})

test('refused words are found in subject and body', () => {
  assert.equal(faultsOf('login: refuse somebody').length, 1)
  assert.equal(faultsOf('login: refuse tokens', 'A client\n\nof nobody, told twice.').length, 2)
})

test('the log of a repository is read from the given commit on, without merges', (t) => {
  const { folder, git } = makeRepository(t)
  const [base] = [git('rev-parse', 'HEAD~2').trim()]
  git('switch', '-q', '-c', 'side', 'HEAD~1')
  git('commit', '-q', '--allow-empty', '-m', 'store: add a table')
  git('merge', '-q', '--no-ff', '-m', 'Merge branch main', 'main')
  assert.deepEqual(
    readLog(folder, base)
      .map(({ subject, body }) => [subject, body])
      .sort(),
    [
      ['store: add a column', 'Why it is there.\n\nAnd more.'],
      ['store: add a table', ''],
      ['store: drop a column', ''],
    ],
  )
})

test('a shallow clone is read as far as it goes, and without the first commit there is nothing to read', (t) => {
  const { folder, git } = makeRepository(t)
  const base = git('rev-parse', 'HEAD~2').trim()
  const shallow = makeFolder(t, {})
  execFileSync('git', ['clone', '-q', '--depth', '1', '--branch', 'main', `file://${folder}`, '.'], { cwd: shallow })
  assert.deepEqual(
    readLog(shallow, base).map(({ subject }) => subject),
    ['store: drop a column'],
  )
  assert.deepEqual(loadHistory(folder, '0123456'), { absent: 'the history does not hold 0123456' })
  assert.deepEqual(loadHistory(makeFolder(t, {}), base), { absent: 'no git history here' })
})

function readLog(folder: string, base: string | undefined) {
  const history = loadHistory(folder, base ?? '')
  return 'log' in history ? readCommits(history.log) : assert.fail(history.absent)
}

/** A repository with three commits on `main`. */
function makeRepository(t: TestContext) {
  const folder = makeFolder(t, {})
  const names = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'commit.gpgsign=false', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...names },
    })
  git('init', '-q', '-b', 'main')
  git('commit', '-q', '--allow-empty', '-m', 'Start')
  git('commit', '-q', '--allow-empty', '-m', 'store: add a column\n\nWhy it is there.\n\nAnd more.')
  git('commit', '-q', '--allow-empty', '-m', 'store: drop a column')
  return { folder, git }
}
