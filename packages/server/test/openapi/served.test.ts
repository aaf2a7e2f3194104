import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { DOCUMENT_IDS } from '../../src/http/openapi/build-document.ts'
import { html } from '../../src/http/openapi/html.ts'
import { buildApp } from '../http/build-app.ts'
import { summarize } from '../http/ext-jwt-signers.fixture.ts'

const IDS = ['edge-client', 'edge-management']
const CLIENT = '/edge/client/v1'
const BASES = [CLIENT, '/edge/management/v1']

test('W-78 the descriptions are listed and served on both APIs, and equal those in docs/openapi', async (t) => {
  const app = await buildApp(t)
  for (const base of BASES) {
    const { json } = await app.call('GET', `${base}/specs`)
    assert.deepEqual(json.meta, {})
    assert.deepEqual(
      json.data.map(({ id, name }: { id: string; name: string }) => [id, name]),
      (base === CLIENT ? ['edge-client'] : IDS).map((id) => [id, id]),
    )
    for (const id of IDS) {
      const { json: one } = await app.call('GET', `${base}/specs/${id}`)
      const listed = json.data.find((spec: { id: string }) => spec.id === id)
      if (listed) assert.deepEqual(one.data, listed)
      assert.equal(one.data._links.spec.href, `./specs/${id}/spec`)
      const spec = await app.call('GET', `${base}/specs/${id}/spec`)
      assert.deepEqual([spec.status, spec.headers['content-type']], [200, 'text/yaml'])
      for (const accept of ['application/json', 'application/json, text/yaml;q=0.5', 'text/yaml, application/json']) {
        const { headers, json: document } = await app.call('GET', `${base}/specs/${id}/spec`, undefined, {
          headers: { accept },
        })
        const isJson = accept.startsWith('application/json')
        assert.deepEqual(
          [headers['content-type'], document?.openapi],
          isJson ? ['application/json', '3.1.0'] : ['text/yaml', undefined],
        )
      }
      assert.equal(spec.text, readFileSync(new URL(`../../../../docs/openapi/${id}.yaml`, import.meta.url), 'utf8'))
    }
    for (const path of ['/specs/other', '/specs/other/spec', '/specs/__proto__', '/specs/constructor/spec']) {
      assert.equal(summarize(await app.call('GET', base + path)), '404 NOT_FOUND', path)
    }
  }
})

test('the reference page uses only its own files, and has no inline scripts', async (t) => {
  const app = await buildApp(t)
  for (const path of ['/api-docs/', ...DOCUMENT_IDS.map((id) => `/api-docs/${id}`)]) {
    const { status, headers, text } = await app.call('GET', path)
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
    assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'; script-src 'self'; style-src 'self'/)
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /unsafe|http/)
    assert.doesNotMatch(text, /<style|style=|\son\w+=|javascript:|(src|href)="(https?:)?\/\//)
    const scripts = [...text.matchAll(/<script[^>]*>([^<]*)/g)]
    assert.deepEqual(
      scripts.map(([tag, inside]) => [tag, inside]),
      [['<script src="/api-docs/page.js" defer>', '']],
    )
    assert.match(text, /<meta name="viewport" content="width=device-width, initial-scale=1">/)
    assert.match(text, /<label[^>]*>Search <input type="search"/)
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length, 'ids are unique')
    assert.equal((text.match(/<details/g) ?? []).length, (text.match(/<\/details>/g) ?? []).length)
    for (const [, local] of text.matchAll(/(?:src|href)="(\/[^"]*)"/g)) {
      assert.equal((await app.call('GET', local ?? '')).status, 200, `${local} is there`)
    }
  }
  const management = (await app.call('GET', '/api-docs/edge-management')).text
  for (const word of ['/identities/{id}/disable', 'claimsProperty', 'external-jwt-signer.read']) {
    assert.ok(management.includes(word), word)
  }
})

test('each API’s document is also served as JSON', async (t) => {
  const app = await buildApp(t)
  for (const [at, id] of IDS.entries()) {
    const { json, headers } = await app.call('GET', `/api-docs/${id}.json`)
    assert.equal(headers['content-type'], 'application/json')
    assert.deepEqual([json.openapi, json.servers], ['3.1.0', [{ url: BASES[at] }]])
  }
})

test('the document of the hosted API is served as page, JSON and YAML, and equals that in docs/openapi', async (t) => {
  const app = await buildApp(t)
  const json = (await app.call('GET', '/api-docs/hosted.json')).json
  assert.deepEqual([json.openapi, json.servers], ['3.1.0', [{ url: '/' }]])
  assert.ok(json.paths['/core/v3/networks'].get && json.paths['/identity/v1/identities/self'].get)
  const yaml = await app.call('GET', '/api-docs/hosted.yaml')
  assert.equal(yaml.headers['content-type'], 'text/yaml')
  assert.equal(yaml.text, readFileSync(new URL('../../../../docs/openapi/hosted.yaml', import.meta.url), 'utf8'))
  const page = (await app.call('GET', '/api-docs/hosted')).text
  for (const word of ['/core/v3/networks/{id}/exchange', 'contactEmail', 'epochSecond'])
    assert.ok(page.includes(word), word)
  assert.equal(
    (await app.call('GET', '/edge/management/v1/specs/hosted')).status,
    404,
    'existing clients list the edge APIs',
  )
})

test('text in the page is escaped', () => {
  const hostile = `<img src=x onerror="a('b')">&`
  assert.equal(html`<p title="${hostile}">${[hostile, html`<b>${1}</b>`, undefined]}</p>`.text.includes('<img'), false)
  assert.equal(html`<i>${['a', html`<b>b</b>`]}</i>`.text, '<i>a<b>b</b></i>')
})
