/**
 * Implements the `curl` flags of the printed examples, for machines without curl:
 * -s, --cacert FILE, -o FILE, -D -, -H HEADER, -d BODY, -G, --data-urlencode NAME=VALUE (with -G), -u USER:PASSWORD, -X METHOD, URL.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    cacert: { type: 'string' },
    output: { type: 'string', short: 'o' },
    'dump-header': { type: 'string', short: 'D' },
    header: { type: 'string', short: 'H', multiple: true },
    data: { type: 'string', short: 'd' },
    get: { type: 'boolean', short: 'G' },
    'data-urlencode': { type: 'string', multiple: true },
    user: { type: 'string', short: 'u' },
    request: { type: 'string', short: 'X' },
  },
})

const { cacert, data, user } = values
const headers = {
  ...(data !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
  ...(user !== undefined && { Authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
  ...Object.fromEntries((values.header ?? []).map((line) => line.split(/: (.*)/s) as [string, string])),
}
const method = values.request ?? (data === undefined ? 'GET' : 'POST')
const query = new URLSearchParams(
  (values['data-urlencode'] ?? []).map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]),
)
const url = `${positionals[0] ?? ''}${values.get ? `?${query}` : ''}`
const request = url.startsWith('https:') ? requestTls : requestPlain
request(url, { ...(cacert && { ca: readFileSync(cacert) }), method, headers }, async (response) => {
  const body = Buffer.concat(await response.toArray())
  if (values['dump-header'] === '-') {
    const lines = response.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}\r\n`] : []))
    process.stdout.write(lines.join(''))
  }
  if (values.output === undefined) process.stdout.write(body)
  else writeFileSync(values.output, body)
}).end(data)
