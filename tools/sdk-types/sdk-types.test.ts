import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../paths.ts'
import { buildWireTypes } from './build-wire-types.ts'
import { WIRE_TYPES_FILE } from './wire-types-file.ts'

/** Removes what the formatter changes. */
const normalize = (text: string) => text.replaceAll(/[\s|()'"]/g, '')

test('the SDK’s wire types match the contract; npm run generate writes them', () => {
  const current = readFileSync(join(root, WIRE_TYPES_FILE), 'utf8')
  assert.ok(normalize(current) === normalize(buildWireTypes()), 'run npm run generate')
})
