import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExtJwtSignerWrite } from '@countersign/contract'
import { applySignerPreset, SIGNER_PRESETS } from '@countersign/contract/signer-presets'
import { readBody } from '../body/read-body.ts'
import type { JsonValue } from '../json/json-value.ts'
import { signerFromBody } from './signer-settings.ts'
import { signerWarnings } from './signer-warnings.ts'
import { validateSigner } from './validate-signer.ts'

/** The signers of a preset: with every value, and with the required ones only. */
const signersOf = ({ name, questions }: (typeof SIGNER_PRESETS)[number]) =>
  [questions, questions.filter((question) => question.default === undefined)].map((asked) => {
    const values = Object.fromEntries(asked.map((question) => [question.name, question.example]))
    const result = applySignerPreset(name, values)
    assert.ok(result.ok, `${name}: ${JSON.stringify(result)}`)
    return result.signer
  })

test('each preset makes a signer that the rules accept without a warning', () => {
  for (const preset of SIGNER_PRESETS) {
    for (const made of signersOf(preset)) {
      const body = { name: preset.label, enabled: true, ...made }
      const read = readBody(ExtJwtSignerWrite, structuredClone(body) as JsonValue)
      assert.deepEqual(JSON.parse(JSON.stringify(read)), body, `${preset.name}: each member is known`)
      const settings = signerFromBody(body)
      validateSigner(settings)
      assert.deepEqual(signerWarnings(settings, null, 0), [], preset.name)
      assert.throws(() => validateSigner({ ...settings, audience: '' }))
    }
  }
})
