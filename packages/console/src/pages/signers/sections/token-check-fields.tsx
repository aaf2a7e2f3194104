import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { Group, NumberInput, TagsInput } from '@mantine/core'
import { ClaimRowsField } from '../../../form/claim-rows-field.tsx'
import { FieldLabel } from '../../../show/field-label.tsx'
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
    </>
  )
}
