/** Builds the text of an HTTP/1.1 request. A body is sent as JSON unless `content-type` is given. */
export function buildRequest(
  method: string,
  path: string,
  { host = 'localhost', ...headers }: Readonly<Record<string, string>>,
  body?: string,
): string {
  const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body ?? '')) }
  const lines = Object.entries({ ...(body !== undefined && length), ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}\r\n${body ?? ''}`
}
