/** What only Node, Deno and Bun can do: `fetch` with a CA and a client certificate of one's own. */
export { createNodeFetch, type NodeFetchOptions } from './node-fetch.ts'
