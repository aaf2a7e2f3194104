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

test('C-26 presets of providers that bind tokens to a key ask what to require', () => {
  const answer = (name: 'okta' | 'auth0' | 'keycloak', requirePossession?: string) => {
    const { questions = [] } = SIGNER_PRESETS.find((preset) => preset.name === name) ?? {}
    const required = questions.filter((question) => question.default === undefined)
    const values = Object.fromEntries(required.map((question) => [question.name, question.example]))
    const result = applySignerPreset(name, { ...values, ...(requirePossession && { requirePossession }) })
    return result.ok ? result.signer.requirePossession : Object.keys(result.errors)
  }
  for (const name of ['okta', 'auth0', 'keycloak'] as const) {
    assert.deepEqual([answer(name), answer(name, 'none'), answer(name, 'dpop')], [undefined, undefined, 'dpop'], name)
    assert.deepEqual(answer(name, 'any'), ['requirePossession'], name)
  }
  assert.deepEqual([answer('auth0', 'mtls'), answer('keycloak', 'mtls')], ['mtls', 'mtls'])
  assert.deepEqual(answer('okta', 'mtls'), ['requirePossession'], 'Okta binds no tokens to certificates')
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
