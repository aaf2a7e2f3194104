export const WIRE_TYPES_FILE = 'packages/sdk/src/wire-types.ts'
