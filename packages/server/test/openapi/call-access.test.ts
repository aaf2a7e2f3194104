import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { MANAGEMENT } from '../../src/http/api-paths.ts'
import type { Access, Route } from '../../src/http/pipeline/route.ts'
import { buildApp } from '../http/build-app.ts'

const FILE = new URL('../../../console/src/api/call-access.ts', import.meta.url)
const HEAD = `import type { RequiredPermission } from '@countersign/contract/permission-rules'

/** The permission that each call of the management API needs. Written by \`npm run generate\` from the routes of the server. */
export const CALL_ACCESS = {
`
const END = `} as const satisfies Readonly<Record<string, RequiredPermission>>
`

function lineOf(method: string, path: string, access: Access): string[] {
  if (typeof access === 'string' || !('entity' in access)) return []
  const isWhole = 'isWhole' in access ? ', isWhole: true' : ''
  return [`  '${method} ${path}': { entity: '${access.entity}', action: '${access.action}'${isWhole} },\n`]
}

function buildCallAccess(routes: readonly Route[]): string {
  const lines = routes.flatMap(({ method, paths, access }) =>
    paths.flatMap((path) =>
      path.startsWith(`${MANAGEMENT}/`) ? lineOf(method, path.slice(MANAGEMENT.length), access) : [],
    ),
  )
  return HEAD + lines.toSorted().join('') + END
}

test('the console knows the permission of every call', async (t) => {
  const text = buildCallAccess((await buildApp(t)).controller.http.routes)
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, text)
  assert.ok(text.split('\n').length > 60)
  assert.equal(readFileSync(FILE, 'utf8'), text, 'call-access.ts is stale: run `npm run generate`')
})
