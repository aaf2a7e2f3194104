import { isJsonObject, JsonError, type JsonObject, readJson } from '@countersign/core'

const LIMITS = { maxDepth: 16, maxMembers: 10_000, maxStringLength: 16_384 }

/** The JSON object that another server has answered, or what is wrong with it, in words that go on from "the document". */
export function readJsonObject(body: Buffer): JsonObject | string {
  try {
    const value = readJson(body, LIMITS)
    return isJsonObject(value) ? value : 'is not a JSON object'
  } catch (error) {
    if (error instanceof JsonError) return `is not valid JSON: ${error.reason}`
    throw error
  }
}
