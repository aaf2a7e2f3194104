import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../paths.ts'
import { buildWireTypes } from './build-wire-types.ts'
import { WIRE_TYPES_FILE } from './wire-types-file.ts'

/** What the formatter changes. */
const bare = (text: string) => text.replaceAll(/[\s|()'"]/g, '')

test('the SDK’s types of the wire are those of the contract; npm run generate writes them', () => {
  const kept = readFileSync(join(root, WIRE_TYPES_FILE), 'utf8')
  assert.ok(bare(kept) === bare(buildWireTypes()), 'run npm run generate')
})
