import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeFileName } from './download.ts'

test('Q-06 safeFileName removes path separators, quotes, line breaks and bidirectional characters', () => {
  const names = {
    alice: 'alice.jwt',
    'Zoë Müller': 'Zoe-Muller.jwt',
    '../../etc/passwd': 'etc-passwd.jwt',
    '..\\..\\boot.ini': 'boot-ini.jwt',
    'a"; filename="b.exe': 'a-filename-b-exe.jwt',
    'a\r\nSet-Cookie: b=1': 'a-Set-Cookie-b-1.jwt',
    'invoice\u202Efdp.exe': 'invoice-fdp-exe.jwt',
    '\u0000': 'download.jwt',
    田中: 'download.jwt',
    '': 'download.jwt',
    ['x'.repeat(300)]: `${'x'.repeat(80)}.jwt`,
  }
  for (const [name, expected] of Object.entries(names)) assert.equal(safeFileName(name, 'jwt'), expected)
})
