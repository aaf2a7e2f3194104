import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHtml } from './escape-html.ts'

test('escapes special characters of HTML, and leaves all other text unchanged', () => {
  assert.equal(escapeHtml(`<a b="c" d='e'>&amp;`), '&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;')
  for (const plain of ['', 'Ada Lovelace', 'ü 漢 🔑 \ud800', 'a;b`c/d']) assert.equal(escapeHtml(plain), plain)
})
