import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { Group, NumberInput, Select, Switch, TagsInput, Textarea } from '@mantine/core'
import { ClaimRowsField } from '../../../form/claim-rows-field.tsx'
import { RuleField } from '../../../form/rule-field.tsx'
import { FieldLabel } from '../../../show/field-label.tsx'
import { POSSESSION_OPTIONS } from '../possession-options.ts'
import { type SignerFormProps, signerField } from './signer-field.tsx'

/** What tokens must have besides the issuer and the audience. */
export function TokenCheckFields({ form }: SignerFormProps) {
  const field = signerField(form)
  return (
    <>
      <TagsInput
        {...field('additionalAudiences', 'Additional audiences')}
        description="Also accepted in the aud claim; press Enter after each"
        acceptValueOnBlur
      />
      <ClaimRowsField
        form={form}
        name="requiredClaims"
        rows={form.values.requiredClaims}
        legend={
          <FieldLabel members={SIGNER.members} name="requiredClaims">
            Required claims
          </FieldLabel>
        }
        description="Tokens without these are refused. Needed when an issuer serves many tenants, to accept only your tokens. In a pattern, * stands for any characters and ? for one."
        addLabel="Require a claim"
        rowName="required claim"
      />
      <RuleField
        {...field('acceptRule', 'Accept rule')}
        description="A CEL expression that must be true, over claims, header, request and signer"
        placeholder={'claims.repository == "acme/app"'}
      />
      <Group grow align="start">
        <NumberInput {...field('clockSkewSeconds', 'Clock skew (seconds)')} min={0} max={60} allowDecimal={false} />
        <NumberInput
          {...field('maxTokenAgeSeconds', 'Max token age (seconds)')}
          placeholder="Unlimited"
          description="Longest accepted time from iat to exp"
          min={1}
          max={31_536_000}
          allowDecimal={false}
        />
      </Group>
      <Select
        {...field('requirePossession', 'Proof of possession')}
        description="Refuses tokens that a thief could use. A token that is bound to a key needs its proof in any case."
        allowDeselect={false}
        data={[...POSSESSION_OPTIONS]}
      />
      <Switch
        {...field('oneUse', 'Accept each token once', { type: 'checkbox' })}
        description="An enrollment to token use and the first login after it are one use; not for second factors"
      />
      <Textarea
        {...field('testCases', 'Test cases')}
        description="Claims with the expected outcome, as a JSON list. Saving fails when one does not hold."
        placeholder='[{ "name": "alice", "claims": { … }, "now": 1800000000, "expect": { "outcome": "accepted" } }]'
        autosize
        minRows={2}
        maxRows={16}
        styles={{ input: { fontFamily: 'monospace' } }}
      />
    </>
  )
}
