import { isJsonObject, JsonError, type JsonObject, readJson } from '@countersign/core'

const LIMITS = { maxDepth: 16, maxMembers: 10_000, maxStringLength: 16_384 }

/** Reads a JSON object. Returns a text when it is invalid, which continues a sentence such as "the document ...". */
export function readJsonObject(body: Buffer): JsonObject | string {
  try {
    const value = readJson(body, LIMITS)
    return isJsonObject(value) ? value : 'is not a JSON object'
  } catch (error) {
    if (error instanceof JsonError) return `is not valid JSON: ${error.reason}`
    throw error
  }
}
