/** Writes the SDK's types of the wire anew from the contract. A test holds that they are in step. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './check/run-program.ts'
import { root } from './paths.ts'
import { buildWireTypes } from './sdk-types/build-wire-types.ts'
import { WIRE_TYPES_FILE } from './sdk-types/wire-types-file.ts'

writeFileSync(join(root, WIRE_TYPES_FILE), buildWireTypes())
const { code, output } = await runProgram('@biomejs/biome/bin/biome', ['format', '--write', WIRE_TYPES_FILE], root)
console.log(output)
process.exit(code)
