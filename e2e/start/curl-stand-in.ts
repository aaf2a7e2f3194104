/**
 * Does what `curl` does with the flags of the printed example, for machines that have none:
 * -s, --cacert FILE, -o FILE, -D -, -H HEADER, -d BODY, URL.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
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
  },
})

const headers = Object.fromEntries((values.header ?? []).map((line) => line.split(/: (.*)/s) as [string, string]))
const method = values.data === undefined ? 'GET' : 'POST'
request(positionals[0] ?? '', { ca: readFileSync(values.cacert ?? ''), method, headers }, async (response) => {
  const body = Buffer.concat(await response.toArray())
  if (values['dump-header'] === '-') {
    const lines = response.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}\r\n`] : []))
    process.stdout.write(lines.join(''))
  }
  if (values.output === undefined) process.stdout.write(body)
  else writeFileSync(values.output, body)
}).end(values.data)
