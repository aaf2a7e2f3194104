import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { AUTH_POLICY } from '@countersign/contract/auth-policy'
import { listFields } from '@countersign/contract/resource'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('docs/auth-policies.md has a row for every member of a policy', () => {
  const page = read('docs/auth-policies.md')
  const missing = listFields(AUTH_POLICY.members).flatMap(([path]) => (page.includes(`\`${path}\``) ? [] : [path]))
  assert.deepEqual(missing, [])
})

/** Identities that `--dev` creates, from its own list. */
const PEOPLE = [...read('packages/server/src/dev/people.ts').matchAll(/\bid: '(\w+)'/g)].map(([, name]) => name)

test('no example of the docs creates what --dev has created already', () => {
  assert.ok(PEOPLE.includes('alice'))
  const taken = new RegExp(
    `identities create (${PEOPLE.join('|')})\\b|"name": *"(${PEOPLE.join('|')})"|signers create local-provider\\b`,
  )
  const pages = [
    ...readdirSync(join(ROOT, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
    'README.md',
  ]
  const colliding = pages.flatMap((page) =>
    read(page)
      .split('\n')
      .flatMap((line, index) => (taken.test(line) ? [`${page}:${index + 1}: ${line}`] : [])),
  )
  assert.deepEqual(colliding, [])
})

test('every link of docs/README.md leads to a page, and to a heading on it', () => {
  const links = [...read('docs/README.md').matchAll(/\]\(([^)#\s]+)(?:#([^)]+))?\)/g)].map(([, path = '', anchor]) => ({
    path,
    anchor,
  }))
  assert.ok(links.length > 40)
  for (const { path, anchor } of links) {
    if (path.endsWith('/')) assert.ok(readdirSync(join(ROOT, 'docs', path)).length > 0, path)
    else {
      const headings = [...read(join('docs', path)).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
        text
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      )
      if (anchor !== undefined) assert.ok(headings.includes(anchor), `${path}#${anchor}`)
    }
  }
})
