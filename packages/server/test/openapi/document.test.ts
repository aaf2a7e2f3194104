import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import fastify from 'fastify'
import { parse } from 'yaml'
import { buildApiDocument, toYaml } from '../../src/http/openapi/api-documents.ts'
import { DOCUMENT_IDS, type DocumentId, type OpenApiDocument, SPECS } from '../../src/http/openapi/build-document.ts'
import { isHostedPath } from '../../src/http/pipeline/hosted-errors.ts'
import { ROUTE_METHODS, type Route } from '../../src/http/pipeline/route.ts'
import { buildApp } from '../http/build-app.ts'

/** The calls of an API with their paths below the base path. */
function callsOf(id: DocumentId, routes: readonly Route[]) {
  if (id === 'hosted') {
    return routes.flatMap(({ method, paths }) =>
      paths.filter((path) => isHostedPath(path)).map((below) => ({ method, below })),
    )
  }
  const { base } = SPECS[id]
  return routes.flatMap(({ method, paths }) =>
    paths
      .filter((path) => path === base || path.startsWith(`${base}/`))
      .map((path) => ({ method, below: path.slice(base.length) || '/' })),
  )
}

test('every call of the two edge APIs has a note in its row, and no other row has one', async (t) => {
  const { routes } = (await buildApp(t)).controller.http
  const bases = Object.values(SPECS).map(({ base }) => base)
  let described = 0
  for (const { method, paths, note } of routes) {
    const isDescribed = paths.some((path) => bases.some((base) => path === base || path.startsWith(`${base}/`)))
    assert.equal(
      note !== null,
      isDescribed,
      `${method} ${paths[0]}: a note if and only if the call is of one of the two APIs`,
    )
    if (!note) continue
    assert.match(
      note.summary,
      /^[A-Z][^\n]{5,90}[^.\n]$/,
      `${method} ${paths[0]}: one line, a verb first, no full stop`,
    )
    described++
  }
  assert.ok(described > 100, String(described))
})

test('docs/openapi matches the routes', async (t) => {
  const { routes } = (await buildApp(t)).controller.http
  for (const id of DOCUMENT_IDS) {
    const name = `docs/openapi/${id}.yaml`
    const file = new URL(`../../../../${name}`, import.meta.url)
    const text = toYaml(buildApiDocument(id, routes))
    if (process.env.UPDATE_DOCS) writeFileSync(file, text)
    assert.equal(readFileSync(file, 'utf8'), text, `${name} is stale: run this test with UPDATE_DOCS=1`)
  }
})

test('all documents are well-formed OpenAPI 3.1', async (t) => {
  const { routes } = (await buildApp(t)).controller.http
  for (const id of DOCUMENT_IDS) {
    const document = buildApiDocument(id, routes)
    checkStructure(document)
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const served = callsOf(id, routes).map(({ method, below }) => `${method} ${below.replaceAll(/:(\w+)/g, '{$1}')}`)
    assert.deepEqual(described.toSorted(), served.toSorted(), 'exactly the served calls are described')
  }
})

/** Checks the rules of the specification that a generator could break. */
function checkStructure(document: OpenApiDocument): void {
  assert.match(document.openapi, /^3\.1\.\d+$/)
  assert.ok(document.info.title && document.info.version)
  const ids = new Set<string>()
  const tags = new Set(document.tags.map(({ name }) => name))
  for (const [path, methods] of Object.entries(document.paths)) {
    assert.ok(path.startsWith('/'), path)
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted()
    for (const [method, operation] of Object.entries(methods)) {
      const what = `${method} ${path}`
      assert.ok(
        ROUTE_METHODS.some((known) => known.toLowerCase() === method),
        what,
      )
      assert.ok(!ids.has(operation.operationId), `${what}: ${operation.operationId} is repeated`)
      ids.add(operation.operationId)
      assert.ok(
        operation.tags.every((tag) => tags.has(tag)),
        what,
      )
      const parameters = (operation.parameters ?? []).map(({ $ref }) => lookUp(document, $ref))
      const named = parameters.filter((one) => one.in === 'path').map((one) => String(one.name))
      assert.deepEqual(named.toSorted(), inPath, what)
      assert.equal(new Set(parameters.map((one) => `${one.in} ${one.name}`)).size, parameters.length, what)
      const statuses = Object.keys(operation.responses)
      assert.ok(statuses.some((status) => status.startsWith('2')) && statuses.includes('default'), what)
      if (method === 'get' || method === 'delete') assert.equal(operation.requestBody, undefined, what)
      for (const requirement of operation.security) {
        for (const scheme of Object.keys(requirement)) assert.ok(document.components.securitySchemes?.[scheme], what)
      }
    }
  }
  for (const pointer of pointersIn(document)) lookUp(document, pointer)
  assert.deepEqual(
    parse(toYaml(document)),
    JSON.parse(JSON.stringify(document)),
    'YAML and back yields the same document',
  )
}

function lookUp(document: OpenApiDocument, pointer: string): Record<string, unknown> {
  const [start, components, kind = '', name = '', ...rest] = pointer.split('/')
  assert.deepEqual([start, components, rest], ['#', 'components', []], pointer)
  return (document.components[kind]?.[name] as Record<string, unknown>) ?? assert.fail(`${pointer} leads nowhere`)
}

function pointersIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { $ref } = value as { $ref?: unknown }
  return [...(typeof $ref === 'string' ? [$ref] : []), ...Object.values(value).flatMap(pointersIn)]
}

test('every schema of the documents is accepted by a validator', async (t) => {
  const { routes } = (await buildApp(t)).controller.http
  const validator = fastify({ ajv: { customOptions: { strict: false } } })
  t.after(() => validator.close())
  for (const id of DOCUMENT_IDS) {
    const { components } = buildApiDocument(id, routes)
    for (const name of Object.keys(components.schemas ?? {})) {
      const body = { components, $ref: `#/components/schemas/${name}` }
      validator.post(`/${id}/${name}`, { schema: { body } }, () => ({}))
    }
  }
  await validator.ready()
})
