/** Where the SDK keeps the shapes of the wire. */
export const WIRE_TYPES_FILE = 'packages/sdk/src/wire-types.ts'
