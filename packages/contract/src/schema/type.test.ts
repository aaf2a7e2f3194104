import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as TypeBox } from 'typebox'
import Type from './type.ts'

type Builders = typeof Type

/** A schema that uses every builder as the contract does. */
const build = (on: Builders) =>
  on.Object({
    text: on.String({ maxLength: 5, format: 'uri' }),
    texts: on.Optional(on.Array(on.String(), { maxItems: 3 })),
    kind: on.Enum(['a', 'b']),
    open: on.Optional(on.Record(on.String(), on.Unknown())),
    count: on.Union([on.Integer({ minimum: 1 }), on.Number(), on.Null()]),
    inner: on.Object({ flag: on.Optional(on.Boolean()) }),
  })

test('the builders return the same schemas as TypeBox', () => {
  assert.equal(JSON.stringify(build(Type)), JSON.stringify(build(TypeBox)))
  assert.deepEqual(build(Type).required, ['text', 'kind', 'count', 'inner'])
})
