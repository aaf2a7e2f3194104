import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findWords } from './find-words.ts'
import { refusedNames, refusedWords } from './refused-words.ts'

test('whole words are found in any case, with their line', () => {
  const found = findWords('one\nHis token, told twice.\n\nSigned in.')
  assert.deepEqual(
    found.map(({ line, word }) => [line, word]),
    [
      [2, 'His'],
      [2, 'told'],
      [4, 'Signed in'],
    ],
  )
})

test('parts of words and names are not found', () => {
  assert.deepEqual(findWords('the this history chime unfolded assign in answered answer $he he_ signin signInput'), [])
})

test('a phrase is found across lines of a comment', () => {
  assert.equal(findWords('/**\n * the one who\n * may call\n */')[0]?.line, 2)
  assert.equal(findWords('// by\n// whom')[0]?.name, 'by whom')
})

test('names with a refused part are found', () => {
  const found = findWords('RefusedSignIn signIn( notSignedIn findObstacles TakeJudgement byWhom: obstacleOf')
  assert.deepEqual(
    found.map(({ name }) => name),
    ['SignIn', 'SignIn', 'SignIn', 'Obstacle', 'Judgement', 'ByWhom', 'Obstacle'],
  )
})

test('every refused word is found', () => {
  for (const { name } of refusedWords) assert.equal(findWords(`x ${name} y`)[0]?.name, name)
  for (const { name } of refusedNames) assert.equal(findWords(`find${name}`)[0]?.name, name)
})

test('labels of the console are exempt, other texts about login are not', () => {
  assert.equal(findWords(`click({ name: 'Sign in' })`, 'e2e/console/login.test.ts').length, 0)
  assert.equal(findWords('// after a sign-in', 'e2e/console/login.test.ts').length, 1)
  assert.equal(findWords('<h1>Sign in</h1>', 'packages/console/src/page.tsx').length, 0)
  assert.equal(findWords('Choose **Sign in**.', 'docs/console.md').length, 0)
  assert.equal(findWords(`name: 'Sign in'`, 'packages/cli/src/login.ts').length, 1)
})
