import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseProxyHeader } from '../../src/http/pipeline/proxy-header.ts'

const SIGNATURE = '0d0a0d0a000d0a515549540a'
const V4 = 'c0000201' + 'c6336401' + '04d2' + '0500'
const V6 = `20010db8${'00'.repeat(11)}01${'00'.repeat(16)}04d20500`
const hex = (text: string) => Buffer.from(text, 'hex')
const text = (line: string) => Buffer.from(`${line}\r\n`)

const ACCEPTED: readonly [name: string, header: Buffer, client: object | undefined][] = [
  ['TCP4', text('PROXY TCP4 192.0.2.1 198.51.100.1 1234 1280'), { address: '192.0.2.1', port: 1234 }],
  ['TCP6', text('PROXY TCP6 2001:db8::1 ::1 1234 1280'), { address: '2001:db8::1', port: 1234 }],
  ['UNKNOWN', text('PROXY UNKNOWN'), undefined],
  ['UNKNOWN with addresses', text('PROXY UNKNOWN ffff::1 ffff::2 1 2'), undefined],
  ['binary IPv4', hex(`${SIGNATURE}2111000c${V4}`), { address: '192.0.2.1', port: 1234 }],
  ['binary IPv6', hex(`${SIGNATURE}21210024${V6}`), { address: '2001:db8::1', port: 1234 }],
  ['binary with extensions', hex(`${SIGNATURE}21110010${V4}04000100`), { address: '192.0.2.1', port: 1234 }],
  ['binary LOCAL', hex(`${SIGNATURE}20000000`), undefined],
  ['binary unspecified', hex(`${SIGNATURE}21000000`), undefined],
]

const REFUSED: readonly [name: string, bytes: Buffer][] = [
  ['TLS', hex('160301')],
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\n')],
  ['lower case', text('proxy TCP4 192.0.2.1 198.51.100.1 1234 1280')],
  ['an address of another family', text('PROXY TCP4 2001:db8::1 ::1 1234 1280')],
  ['a name', text('PROXY TCP4 localhost 198.51.100.1 1234 1280')],
  ['a port over the range', text('PROXY TCP4 192.0.2.1 198.51.100.1 65536 1280')],
  ['a missing port', text('PROXY TCP4 192.0.2.1 198.51.100.1 1234')],
  ['two spaces', text('PROXY TCP4  192.0.2.1 198.51.100.1 1234 1280')],
  ['UDP', text('PROXY UDP4 192.0.2.1 198.51.100.1 1234 1280')],
  ['a long line', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(200)}`)],
  ['another version', hex(`${SIGNATURE}3111000c${V4}`)],
  ['another command', hex(`${SIGNATURE}2211000c${V4}`)],
  ['binary UDP', hex(`${SIGNATURE}2112000c${V4}`)],
  ['a short binary address', hex(`${SIGNATURE}2111000b${V4.slice(2)}`)],
  ['a huge binary header', hex(`${SIGNATURE}2111ffff${V4}`)],
]

test('R-19 reads the client from headers of both versions, with any bytes after them', () => {
  for (const [name, header, client] of ACCEPTED) {
    assert.deepEqual(parseProxyHeader(header), { length: header.length, client }, name)
    assert.deepEqual(parseProxyHeader(Buffer.concat([header, hex('160301')])), { length: header.length, client }, name)
    for (let end = 0; end < header.length; end++) {
      assert.equal(parseProxyHeader(header.subarray(0, end)), undefined, `${name}, ${end} bytes`)
    }
  }
})

test('R-19 refuses everything else', () => {
  for (const [name, bytes] of REFUSED) assert.throws(() => parseProxyHeader(bytes), TypeError, name)
})
