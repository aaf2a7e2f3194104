import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvText } from './csv.ts'

interface Row {
  readonly name: string
  readonly note?: string | number | null
}

const columns = [
  ['name', ({ name }: Row) => name],
  ['note', ({ note }: Row) => note],
] as const

test('values are quoted where RFC 4180 requires it', () => {
  const rows: Row[] = [
    { name: 'plain', note: 5 },
    { name: 'a, b', note: 'says "hi"' },
    { name: 'two\r\nlines', note: null },
    { name: ' padded ' },
    { name: 'Zoë 🦊', note: '' },
  ]
  assert.equal(
    csvText({ columns }, rows),
    'name,note\r\nplain,5\r\n"a, b","says ""hi"""\r\n"two\r\nlines",\r\n" padded ",\r\nZoë 🦊,\r\n',
  )
})

test('text that a spreadsheet would run as a formula is neutralised, other text is not changed', () => {
  const cellOf = (name: string) => csvText({ columns: [['name', () => name]] }, [{}]).slice('name\r\n'.length, -2)
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '|cmd', '%0', ' =1', '\u00a0=1']) {
    assert.match(cellOf(text), /^"?'/u, text)
  }
  assert.equal(cellOf('=HYPERLINK("https://evil.example","x")'), `"'=HYPERLINK(""https://evil.example"",""x"")"`)
  assert.equal(cellOf('\tx'), "'\tx")
  assert.equal(cellOf('x;=1'), "x;'=1")
  assert.equal(cellOf('a\t =1;-2'), "a\t' =1;'-2")
  assert.equal(cellOf('a\n@b'), `"a\n'@b"`)
  for (const text of ['a=1', 'a-b', 'a;b=1', 'a\tb', 'alice@example.com', "'quoted", '5', '2026-11-18T10:00:00.000Z']) {
    assert.equal(cellOf(text), text)
  }
})
