/** For Node, Deno and Bun: a `fetch` with its own CA and client certificate. */
export { createNodeFetch, type NodeFetchOptions } from './node-fetch.ts'
