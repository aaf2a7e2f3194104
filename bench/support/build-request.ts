/** Builds the text of an HTTP/1.1 request. A body is sent as JSON. */
export function buildRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): string {
  const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body ?? '')) }
  const lines = Object.entries({ ...headers, ...(body !== undefined && length) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}\r\n${body ?? ''}`
}
