/** What `readJson` answers. Objects inherit no name, so every name in them came from the text. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject

export interface JsonObject {
  [name: string]: JsonValue
}

/** JSON that is only read. */
export type ReadonlyJson = null | boolean | number | string | readonly ReadonlyJson[] | ReadonlyJsonObject
export interface ReadonlyJsonObject {
  readonly [name: string]: ReadonlyJson
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject
export function isJsonObject(value: ReadonlyJson | undefined): value is ReadonlyJsonObject
export function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Inherits no name, as `Object.create(null)`, which V8 would keep as a hash table, several times slower to fill. */
function Bare(): void {}
Bare.prototype = Object.freeze(Object.create(null))
const BareObject = Bare as unknown as new () => JsonObject

/** An empty object that inherits nothing. */
export function newJsonObject(): JsonObject {
  return new BareObject()
}
