import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ExtJwtSignerWrite } from '@countersign/contract'
import { readJsonBody } from '../../src/http/pipeline/read-json-body.ts'
import { buildApp } from '../http/build-app.ts'

const MIB = 1_048_576
/** The aim is 100 ms on an idle machine; this limit catches work that grows faster than the text. */
const TOO_LONG_MS = 1_000

/** Repeats the text between the two ends up to 1 MiB. */
const fill = (start: string, repeated: string, end: string): string =>
  start + repeated.repeat(Math.floor((MIB - start.length - end.length) / repeated.length)) + end
const object = (members: number, member: (index: number) => string): string =>
  `{${Array.from({ length: members }, (_, index) => member(index)).join(',')}}`
const signer = (more: string): string => `{"name":"n","enabled":true,"issuer":"i","audience":"a",${more}}`

const WORST: Readonly<Record<string, string>> = {
  'nothing but brackets': fill('', '[', ''),
  'as deep as allowed, over and over': `{"a":[${fill('', `${'['.repeat(60)}${']'.repeat(60)},`, '').slice(0, -1)}]}`,
  'as many members as allowed': object(9_990, (index) => `"${'x'.repeat(90)}${index}":1`),
  'more members than allowed': object(90_000, (index) => `"k${index}":1`),
  'names that look like numbers': object(9_990, (index) => `"${4_294_967_000 - index * 400_000}":1`),
  'the same name throughout': object(90_000, () => '"k":1'),
  'one string': fill('{"a":"', 'x', '"}'),
  'one string of escapes': fill('{"a":"', '\\n', '"}'),
  'one string of Unicode escapes': fill('{"a":"', '\\u00e9', '"}'),
  'one string of null characters': fill('{"a":"', '\\u0000', '"}'),
  'one integer': fill('{"a":', '1', '}'),
  'one fraction': fill('{"a":0.', '1', '}'),
  'one exponent': fill('{"a":1e', '0', '1}'),
  'line feeds and then an error': fill('{', '\n', 'x'),
  'letters of three bytes': fill('{"a":"', '\u20ac', '"}').slice(0, MIB / 3),
  tags: signer(`"tags":${object(9_000, (index) => `"k${index}":"${'v'.repeat(100)}"`)}`),
  'many claims': signer(`"requiredClaims":${object(9_000, (index) => `"k${index}":"${'v'.repeat(100)}"`)}`),
  'endless scopes': signer(`"scopes":${fill('[', '"x",', '"x"]').slice(0, 30_000)}"]`),
  'a value of the wrong type': signer(`"targetToken":${object(9_000, (index) => `"k${index}":"${'v'.repeat(90)}"`)}`),
}
const headers = { 'content-type': 'application/json' }

describe('a body of 1 MiB', () => {
  const watched = Object.keys(ExtJwtSignerWrite.properties)
  const body = { schema: ExtJwtSignerWrite, optional: false, watched }
  const route = { access: 'any-session', bodyCap: 'management', body } as const

  for (const [title, text] of Object.entries(WORST)) {
    test(`M-16 O-02 of ${title} is parsed or refused quickly, and not repeated`, () => {
      const bytes = Buffer.from(text)
      const before = process.cpuUsage()
      let refusal: Error | undefined
      try {
        readJsonBody(route, bytes, headers)
      } catch (error) {
        refusal = error as Error
      }
      const took = process.cpuUsage(before).user / 1000
      assert.ok(took < TOO_LONG_MS, `${took} ms`)
      if (!refusal) return
      assert.equal(refusal.name, 'AppError', refusal.stack)
      assert.ok(refusal.message.length < 512, refusal.message.slice(0, 600))
    })
  }

  test('O-02 bytes that are not UTF-8 are refused quickly', () => {
    for (const bytes of [Buffer.alloc(MIB, 0xff), Buffer.concat([Buffer.alloc(MIB - 1, 0x20), Buffer.from([0xc0])])]) {
      const start = performance.now()
      assert.throws(() => readJsonBody(route, bytes, headers), { code: 'COULD_NOT_PARSE_BODY' })
      assert.ok(performance.now() - start < TOO_LONG_MS)
    }
  })

  test('O-02 that is an ordinary signer is parsed', () => {
    const text = signer('"tags":{"a":1}').padEnd(MIB)
    assert.deepEqual({ ...(readJsonBody(route, Buffer.from(text), headers).members as object) }.constructor, Object)
  })
})

test('O-02 a body has at most a thousand members where no permission is needed, and more elsewhere', async (t) => {
  const app = await buildApp(t)
  const { session } = await app.makeIdentity()
  const code = async (members: number, path: string, caller: string) => {
    const raw = object(members, (index) => `"k${index}":1`)
    const reply = await app.call('POST', path, undefined, { session: caller, raw, headers })
    return reply.json.error.code
  }
  for (const path of ['/edge/client/v1/authenticate/mfa', '/edge/client/v1/authenticate?method=password']) {
    assert.notEqual(await code(1_000, path, session), 'COULD_NOT_PARSE_BODY', path)
    assert.equal(await code(1_001, path, session), 'COULD_NOT_PARSE_BODY', path)
  }
  assert.equal(await code(1_001, '/edge/management/v1/identities', app.adminSession), 'COULD_NOT_VALIDATE')
})
