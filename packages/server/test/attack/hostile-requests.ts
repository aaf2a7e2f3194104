/** Credentials for requests that need to pass authentication. */
export interface Credentials {
  readonly session: string
  readonly username: string
  readonly password: string
}

/** A hostile request, the expected response, and an accepted twin that differs in one thing. */
export interface HostileRequest {
  readonly row: string
  readonly title: string
  bytes(credentials: Credentials): string | Buffer
  readonly status: number
  readonly code: string
  /** The connection ends with the response. */
  readonly closes?: boolean
  accepted?(credentials: Credentials): string
}

export const VERSION = '/edge/client/v1/version'
const LOGIN = '/edge/client/v1/authenticate?method=password'
const SIGNERS = '/edge/management/v1/external-jwt-signers'

/** A request as text, with a Host unless the headers contain one. */
export function http(startLine: string, headers: readonly string[] = [], body = ''): string {
  const host = headers.some((line) => line.toLowerCase().startsWith('host')) ? [] : ['Host: localhost']
  return `${[`${startLine} HTTP/1.1`, ...host, ...headers].join('\r\n')}\r\n\r\n${body}`
}

const get = (...headers: string[]) => http(`GET ${VERSION}`, headers)

/** A request with a body and its length. */
export function withBody(
  startLine: string,
  body: string,
  headers: readonly string[] = ['Content-Type: application/json'],
) {
  return http(startLine, [...headers, `Content-Length: ${Buffer.byteLength(body)}`], body)
}

const loginBody = ({ username, password }: Credentials, more: object = {}) =>
  JSON.stringify({ username, password, ...more })
const login = (headers?: readonly string[]) => (credentials: Credentials) =>
  withBody(`POST ${LOGIN}`, loginBody(credentials), headers)
const loginWith = (body: string) => () => withBody(`POST ${LOGIN}`, body)
const list =
  (query: string, headers: readonly string[] = []) =>
  ({ session }: Credentials) =>
    http(`GET ${SIGNERS}${query}`, [`zt-session: ${session}`, ...headers])
const many = (count: number, line = 'a: b') => Array.from({ length: count }, () => line)

const CHUNKED = 'Transfer-Encoding: chunked'
const chunked = (chunks: string) => http(`GET ${VERSION}`, [CHUNKED], chunks)
const NO_CHUNKS = '0\r\n\r\n'

const malformed = (title: string, bytes: string, twin: string = get()): HostileRequest => ({
  row: 'M-08',
  title,
  bytes: () => bytes,
  status: 400,
  code: 'BAD_REQUEST',
  closes: true,
  accepted: () => twin,
})

const MALFORMED: readonly HostileRequest[] = [
  malformed(
    'a length and chunks',
    http(`GET ${VERSION}`, ['Content-Length: 5', CHUNKED], NO_CHUNKS),
    chunked(NO_CHUNKS),
  ),
  malformed(
    'chunks and a length',
    http(`GET ${VERSION}`, [CHUNKED, 'Content-Length: 5'], NO_CHUNKS),
    chunked(NO_CHUNKS),
  ),
  malformed('two lengths', http(`GET ${VERSION}`, ['Content-Length: 1', 'Content-Length: 2'], 'xx')),
  malformed('the same length twice', http(`GET ${VERSION}`, ['Content-Length: 1', 'Content-Length: 1'], 'x')),
  malformed('two lengths in one line', http(`GET ${VERSION}`, ['Content-Length: 1, 1'], 'x')),
  malformed('a length below zero', http(`GET ${VERSION}`, ['Content-Length: -1'])),
  malformed('a length that is not a number', http(`GET ${VERSION}`, ['Content-Length: 1x'], 'x')),
  malformed('chunked twice', http(`GET ${VERSION}`, [CHUNKED, CHUNKED], NO_CHUNKS), chunked(NO_CHUNKS)),
  malformed('chunked, then identity', http(`GET ${VERSION}`, [CHUNKED, 'Transfer-Encoding: identity'], NO_CHUNKS)),
  malformed('identity, then chunked', http(`GET ${VERSION}`, ['Transfer-Encoding: identity', CHUNKED], NO_CHUNKS)),
  malformed('gzip, chunked', http(`GET ${VERSION}`, ['Transfer-Encoding: gzip, chunked'], NO_CHUNKS)),
  malformed('xchunked', http(`GET ${VERSION}`, ['Transfer-Encoding: xchunked'], NO_CHUNKS)),
  malformed('a space before the colon of chunked', http(`GET ${VERSION}`, ['Transfer-Encoding : chunked'], NO_CHUNKS)),
  malformed('a space before a colon', get('X-Test : a'), get('X-Test: a')),
  malformed('a bare line feed after the start line', get().replace('\r\n', '\n')),
  malformed('a bare line feed after a header', get('X-Test: a\nX-More: b'), get('X-Test: a\r\nX-More: b')),
  malformed('a bare carriage return in a header', get('X-Test: a\rb'), get('X-Test: a b')),
  malformed('a folded header', get('X-Test: a\r\n b'), get('X-Test: a b')),
  malformed('a malformed end of headers', `GET ${VERSION} HTTP/1.1\r\nHost: localhost\r\n\rX`),
  malformed('a null character in a header', get('X-Test: a\0b'), get('X-Test: ab')),
  malformed('a header without a colon', get('X-Test'), get('X-Test:')),
  malformed('a header without a name', get(': a')),
  malformed('a flood of chunk extensions', chunked(`0;${'x'.repeat(20_000)}\r\n\r\n`), chunked('0;x\r\n\r\n')),
  malformed('a chunk size that is not a number', chunked('zz\r\n\r\n'), chunked('1\r\nx\r\n0\r\n\r\n')),
  malformed('a chunk size beyond any integer', chunked('fffffffffffffffff\r\n\r\n')),
  malformed('a chunk longer than it says', chunked('1\r\nxx\r\n0\r\n\r\n'), chunked('2\r\nxx\r\n0\r\n\r\n')),
  malformed('a chunk that ends in a bare line feed', chunked('1\r\nx\n0\r\n\r\n')),
  malformed('no Host', `GET ${VERSION} HTTP/1.1\r\nX-Test: a\r\n\r\n`),
  malformed('an unknown method', get().replace('GET', 'GETS')),
  malformed('a method in lower case', get().replace('GET', 'get')),
  malformed('an unknown version', get().replace('HTTP/1.1', 'HTTP/9.9')),
  malformed('another protocol', 'EHLO localhost\r\n'),
  malformed('a TLS record inside TLS', '\x16\x03\x01\x02\x00\x01\x00'),
  { ...malformed('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), row: 'M-22' },
  { ...malformed('two Hosts', get('Host: localhost', 'Host: evil.example')), row: 'M-09' },
]

const HEADERS: readonly HostileRequest[] = [
  {
    row: 'M-07 D30',
    title: '101 header lines',
    bytes: () => get(...many(100)),
    status: 431,
    code: 'REQUEST_HEADERS_TOO_LARGE',
    closes: true,
    accepted: () => get(...many(99)),
  },
  {
    row: 'M-07',
    title: '1,800 header lines with the credential last',
    bytes: ({ session }) => http(`GET ${SIGNERS}`, [...many(1800), `zt-session: ${session}`]),
    status: 431,
    code: 'REQUEST_HEADERS_TOO_LARGE',
    closes: true,
    accepted: ({ session }) => http(`GET ${SIGNERS}`, [...many(98), `zt-session: ${session}`]),
  },
  {
    row: 'M-07 D30',
    title: 'one header of 49 KiB',
    bytes: () => get(`X-Test: ${'a'.repeat(49 * 1024)}`),
    status: 431,
    code: 'REQUEST_HEADERS_TOO_LARGE',
    closes: true,
    accepted: () => get(`X-Test: ${'a'.repeat(47 * 1024)}`),
  },
  {
    row: 'M-07',
    title: 'a path of 1 MiB',
    bytes: () => http(`GET ${VERSION}?x=${'a'.repeat(1_048_576)}`),
    status: 431,
    code: 'REQUEST_HEADERS_TOO_LARGE',
    closes: true,
    accepted: () => http(`GET ${VERSION}?x=${'a'.repeat(40_000)}`),
  },
  {
    row: 'D30',
    title: 'four Authorization lines',
    bytes: list('', many(4, 'Authorization: Bearer x')),
    status: 400,
    code: 'COULD_NOT_VALIDATE',
    accepted: list('', many(3, 'Authorization: Bearer x')),
  },
  {
    row: 'D30',
    title: 'two sessions',
    bytes: ({ session }) => list('', [`zt-session: ${session}`])({ session, username: '', password: '' }),
    status: 400,
    code: 'COULD_NOT_VALIDATE',
    accepted: list(''),
  },
  {
    row: 'M-24',
    title: 'a WebSocket handshake with 2,000 headers',
    bytes: () => get('Connection: Upgrade', 'Upgrade: websocket', ...many(2000)),
    status: 431,
    code: 'REQUEST_HEADERS_TOO_LARGE',
    closes: true,
  },
]

const refusedType = (contentType: string, status = 415): HostileRequest => ({
  row: 'M-10',
  title: `the content type ${JSON.stringify(contentType)}`,
  bytes: login([`Content-Type: ${contentType}`]),
  status,
  code: status === 415 ? 'COULD_NOT_VALIDATE' : 'COULD_NOT_PARSE_BODY',
  accepted: login(),
})

const CONTENT: readonly HostileRequest[] = [
  refusedType('application/json\ta'),
  refusedType('application/json garbage'),
  refusedType('application/json, text/plain'),
  refusedType('application/json; charset=utf-16'),
  refusedType('application/json; charset=utf-8; boundary=x'),
  refusedType('application/jsonx'),
  refusedType('application/vnd.api+json'),
  refusedType('text/plain'),
  refusedType('application/x-www-form-urlencoded'),
  refusedType('multipart/form-data; boundary=x'),
  refusedType(`application/json;${' '.repeat(20_000)}x`),
  refusedType(';;', 400),
  {
    row: 'M-10',
    title: 'no content type at all',
    bytes: login([]),
    status: 415,
    code: 'COULD_NOT_VALIDATE',
    accepted: login(['content-type: APPLICATION/JSON; Charset=UTF-8']),
  },
  {
    row: 'M-10',
    title: 'two content types',
    bytes: login(['Content-Type: application/json', 'Content-Type: text/plain']),
    status: 400,
    code: 'COULD_NOT_VALIDATE',
    accepted: login(['Content-Type: application/json;charset="utf-8"']),
  },
  ...['gzip', 'deflate', 'br', 'zstd', 'identity, gzip', 'x'].map((encoding) => ({
    row: 'M-04',
    title: `a body in ${encoding}`,
    bytes: login(['Content-Type: application/json', `Content-Encoding: ${encoding}`]),
    status: 415,
    code: 'COULD_NOT_VALIDATE',
    accepted: login(['Content-Type: application/json', 'Content-Encoding: identity']),
  })),
  ...['text/html', 'application/xml, text/plain;q=0.5', 'application/jsonx', 'x'.repeat(40_000)].map((accept) => ({
    row: 'M-21',
    title: `Accept: ${accept.slice(0, 40)}`,
    bytes: list('', [`Accept: ${accept}`]),
    status: 406,
    code: 'COULD_NOT_VALIDATE',
    accepted: list('', ['Accept: text/html, application/*;q=0.1']),
  })),
]

const refusedBody = (row: string, title: string, body: string, code = 'COULD_NOT_PARSE_BODY'): HostileRequest => ({
  row,
  title,
  bytes: loginWith(body),
  status: 400,
  code,
  accepted: (credentials) => withBody(`POST ${LOGIN}`, loginBody(credentials, { envInfo: { os: 'constructor' } })),
})

const BODIES: readonly HostileRequest[] = [
  ...['[]', '"x"', '1', 'true', '[{"username":"admin"}]'].map((body) =>
    refusedBody('M-11', `the body ${body}`, body, 'COULD_NOT_VALIDATE'),
  ),
  refusedBody('M-13', '__proto__ in a body', '{"__proto__":{"isAdmin":true},"username":"a"}'),
  refusedBody('M-13', '__proto__ by escapes', '{"\\u005f_proto__":{"isAdmin":true}}'),
  refusedBody('M-13', 'constructor.prototype in a body', '{"constructor":{"prototype":{"isAdmin":true}}}'),
  refusedBody('M-13', '__proto__ deep inside', '{"envInfo":{"a":[{"__proto__":1}]}}'),
  refusedBody('M-14', 'a name twice', '{"username":"admin","username":"root"}'),
  refusedBody('M-14', 'a name twice, once by escapes', '{"username":"admin","\\u0075sername":"root"}'),
  refusedBody('M-14', 'a name twice in two cases', '{"username":"admin","USERNAME":"root"}'),
  refusedBody('O-02', 'JSON of 30,000 levels', '['.repeat(30_000) + ']'.repeat(30_000)),
  refusedBody('O-02', 'objects of 10,000 levels', '{"a":'.repeat(10_000)),
  refusedBody('O-02', 'half a surrogate', '{"username":"\\ud800"}'),
  refusedBody('O-02', 'a number without end', `{"username":1e${'9'.repeat(400)}}`),
  refusedBody('O-02', 'text after the value', '{} {}'),
  refusedBody('O-02', 'broken JSON', '{"username":'),
]

const PROTOTYPE_QUERIES = [
  '__proto__=1',
  '__proto__[a]=1',
  'constructor.prototype.a=1',
  '%5f_proto__=1',
  'a=1&prototype=1',
]

const QUERIES: readonly HostileRequest[] = [
  ...PROTOTYPE_QUERIES.map((query) => ({
    row: 'M-13',
    title: `the query ${query}`,
    bytes: list(`?${query}`),
    status: 400,
    code: 'COULD_NOT_VALIDATE',
    accepted: list('?proto=1&limit[]=7&x.__proto__=1'),
  })),
  ...['limit=%zz', 'filter=%', 'x=%ff', 'filter=%00'].map((query) => ({
    row: 'M-14',
    title: `the query ${query}`,
    bytes: list(`?${query}`),
    status: 400,
    code: 'COULD_NOT_VALIDATE',
    accepted: list('?filter=%74rue'),
  })),
]

const METHODS: readonly HostileRequest[] = [
  ...['TRACE', 'PROPFIND', 'LOCK', 'QUERY', 'PUT', 'DELETE', 'PURGE'].map((method) => ({
    row: 'M-20',
    title: `${method} on a list`,
    bytes: ({ session }: Credentials) => http(`${method} ${SIGNERS}`, [`zt-session: ${session}`]),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    accepted: list(''),
  })),
  {
    row: 'M-20',
    title: 'CONNECT',
    bytes: () => http('CONNECT localhost:443'),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    closes: true,
  },
  {
    row: 'M-20',
    title: 'a method in a header',
    bytes: ({ session }) =>
      http(`POST ${SIGNERS}/default`, [`zt-session: ${session}`, 'X-HTTP-Method-Override: DELETE', 'X-Method: DELETE']),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
  },
]

const id = (title: string, path: string, status: number, code: string): HostileRequest => ({
  row: 'M-19',
  title: `the id ${title}`,
  bytes: ({ session }) => http(`GET ${SIGNERS}/${path}`, [`zt-session: ${session}`]),
  status,
  code,
})

const PATHS: readonly HostileRequest[] = [
  ...[
    '..%2f',
    '%2e%2e',
    '..%2f..%2fidentities',
    '%00',
    'a%00b',
    '%0d%0aX-Test:%20a',
    ';x',
    'a;b=c',
    '%c3%a9',
    '%f0%9f%98%80',
  ].map((path) => id(path, path, 404, 'NOT_FOUND')),
  ...["'%20or%201=1--", '%27;drop%20table%20identities', '*', '%25', '$1', '.', 'a'.repeat(512)].map((path) =>
    id(path.slice(0, 40), path, 404, 'NOT_FOUND'),
  ),
  id('of 513 characters', 'a'.repeat(513), 404, 'NOT_FOUND'),
  id('of 8 KiB', 'a'.repeat(8192), 404, 'NOT_FOUND'),
  id('a/b', 'a/b', 404, 'NOT_FOUND'),
  { ...id('%zz', '%zz', 400, 'BAD_REQUEST'), closes: true },
  { ...id('%ff', '%ff', 400, 'BAD_REQUEST'), closes: true },
  {
    row: 'M-19',
    title: 'a path outside the API',
    bytes: ({ session }) => http('GET /edge/management/v1/../../etc/passwd', [`zt-session: ${session}`]),
    status: 404,
    code: 'NOT_FOUND',
  },
]

/** Every attack of one request. Each is sent on its own connection, must get exactly this response and change nothing. */
export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  ...MALFORMED,
  ...HEADERS,
  ...CONTENT,
  ...BODIES,
  ...QUERIES,
  ...METHODS,
  ...PATHS,
]
