import { createLruCache } from '@countersign/core'
import type { FetchDocument, FetchedDocument } from './fetch-document.ts'

interface Kept extends FetchedDocument {
  readonly etag: string
}

const MAX_KEPT = 1_000
const MAX_KEPT_BYTES = 32_768
const MAX_ETAG_CHARACTERS = 256
/** RFC 9110 section 8.8.3, ASCII only. */
const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/

/** Fetches documents by conditional requests: a document with an ETag is kept, and sent again by the server only when it has changed. */
export function createConditionalFetch(fetchDocument: FetchDocument): FetchDocument {
  const documents = createLruCache<string, Kept>(MAX_KEPT)
  return async (url, options) => {
    const name = `${url}\n${options.caPem ?? ''}\n${options.authorization ?? ''}`
    const kept = documents.get(name)
    const fetched = await fetchDocument(url, { ...options, ...(kept && { ifNoneMatch: kept.etag }) })
    if (fetched.isUnchanged && kept) return { body: kept.body, headers: { ...kept.headers, ...fetched.headers } }
    const { etag = '' } = fetched.headers
    const isKept = ETAG.test(etag) && etag.length <= MAX_ETAG_CHARACTERS && fetched.body.length <= MAX_KEPT_BYTES
    if (isKept) documents.set(name, { ...fetched, etag })
    else documents.delete(name)
    return fetched
  }
}
