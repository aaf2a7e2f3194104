/** What `readJson` returns. Objects have no prototype members, so every name in them comes from the text. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject

export interface JsonObject {
  [name: string]: JsonValue
}

/** Immutable JSON. */
export type ReadonlyJson = null | boolean | number | string | readonly ReadonlyJson[] | ReadonlyJsonObject
export interface ReadonlyJsonObject {
  readonly [name: string]: ReadonlyJson
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject
export function isJsonObject(value: ReadonlyJson | undefined): value is ReadonlyJsonObject
export function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Like `Object.create(null)`, which V8 stores as a hash table that is several times slower to fill. */
function Bare(): void {}
Bare.prototype = Object.freeze(Object.create(null))
const BareObject = Bare as unknown as new () => JsonObject

/** An empty object that inherits nothing. */
export function newJsonObject(): JsonObject {
  return new BareObject()
}
