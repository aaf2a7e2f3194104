import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { type TestContext, test } from 'node:test'
import zlib from 'node:zlib'
import { MAX_NAME_LENGTH } from '@countersign/contract/limits'
import { QrPictures } from '../../src/http/shared/qr-pictures.ts'
import { qrPng } from '../../src/http/shared/qr-png.ts'
import { buildApp } from './build-app.ts'
import { MFA, makeUser, startTotp } from './one-time-codes.fixture.ts'

/** Counts the pictures that are compressed from now on. */
function countDrawings(t: TestContext): () => number {
  const { mock } = t.mock.method(zlib, 'deflateSync')
  syncBuiltinESMExports()
  t.after(() => {
    mock.restore()
    syncBuiltinESMExports()
  })
  return () => mock.callCount()
}

test('E-12 a QR code that a partial session asks for over and over is drawn once, and one of another identity too', async (t) => {
  const app = await buildApp(t)
  const drawings = countDrawings(t)
  const shown: { readonly url: string; readonly picture: Buffer }[] = []
  for (const expected of [1, 2]) {
    const { session } = await makeUser(app, { name: `${expected}`.padEnd(MAX_NAME_LENGTH, '漢') })
    const { url } = await startTotp(app, session)
    const ask = () =>
      app.controller.http.inject({ method: 'GET', url: `${MFA}/qr-code`, headers: { 'zt-session': session } })
    for (let n = 0; n < 10; n++) assert.equal((await ask()).statusCode, 200)
    assert.equal(drawings(), expected)
    shown.push({ url, picture: (await ask()).rawPayload })
    await app.call('DELETE', MFA, undefined, { session })
    assert.equal((await ask()).statusCode, 404, 'it is not sent after the codes are gone')
  }
  for (const { url, picture } of shown) assert.deepEqual(picture, qrPng(url))
})

test('E-12 pictures are kept for a minute', (t) => {
  const drawings = countDrawings(t)
  const delays: number[] = []
  let forget = (): void => assert.fail('nothing is scheduled')
  const pictures = new QrPictures({
    after: (ms, task) => {
      delays.push(ms)
      forget = task
      return () => undefined
    },
  })
  for (const text of ['one', 'other', 'one', 'other']) pictures.get(text)
  assert.deepEqual([drawings(), delays], [2, [60_000]])
  forget()
  pictures.get('one')
  assert.deepEqual([drawings(), delays], [3, [60_000, 60_000]])
})

test('E-12 pictures take a megabyte together', (t) => {
  const drawings = countDrawings(t)
  const pictures = new QrPictures({ after: () => () => undefined })
  const texts = Array.from({ length: 200 }, (_, n) => `${n}`.padEnd(2_300, '.'))
  const bytes = texts.map((text) => pictures.get(text).length + text.length).reduce((sum, length) => sum + length)
  assert.ok(bytes > 1_048_576, `${bytes} bytes`)
  pictures.get(texts.at(-1) ?? '')
  assert.equal(drawings(), texts.length, 'the last one is kept')
  pictures.get(texts[0] ?? '')
  assert.equal(drawings(), texts.length + 1, 'the first one is not')
})
