/** Node's `http`. Importing `node:http` would also load its WebSocket client, because each name that it exports is read: 5 MiB. */
export const { Agent, createServer, METHODS, request, validateHeaderValue } = process.getBuiltinModule('node:http')
