/** `npm run generate`: writes the generated files that are committed: the SDK's types, the console's call-access.ts, docs/openapi, docs/configuration.md and its schema. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './check/run-program.ts'
import { root } from './paths.ts'
import { buildWireTypes } from './sdk-types/build-wire-types.ts'
import { WIRE_TYPES_FILE } from './sdk-types/wire-types-file.ts'

writeFileSync(join(root, WIRE_TYPES_FILE), buildWireTypes())
const { code, output } = await runProgram('@biomejs/biome/bin/biome', ['format', '--write', WIRE_TYPES_FILE], root)
console.log(output)
if (code !== 0) process.exit(code)

// These tests compare the documents with what the controller generates, and write them when UPDATE_DOCS is set.
const documents = spawnSync(
  process.execPath,
  ['tools/test.ts', 'openapi/document', 'openapi/call-access', 'settings/docs'],
  {
    cwd: root,
    env: { ...process.env, UPDATE_DOCS: '1' },
    stdio: 'inherit',
  },
)
process.exit(documents.status ?? 1)
