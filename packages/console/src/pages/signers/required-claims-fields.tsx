import { Button, CloseButton, Fieldset, Group, Input, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { isFull, newClaimRow } from './required-claims.ts'
import type { SignerValues } from './signer-values.ts'

/** Claims that tokens must have, each with its accepted values. */
export function RequiredClaimsFields({ form }: { readonly form: UseFormReturnType<SignerValues> }) {
  const { requiredClaims: rows } = form.values
  const error = form.errors.requiredClaims
  return (
    <Fieldset legend="Required claims" data-path="requiredClaims" tabIndex={-1}>
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          Tokens without these are refused. Needed when an issuer serves many tenants, to accept only your tokens.
        </Text>
        {rows.map(({ key }, index) => (
          <Group key={key} align="start" gap="xs" wrap="nowrap">
            <Group align="start" gap="xs" flex={1}>
              <TextInput
                flex="1 1 10rem"
                label="Claim"
                placeholder="repository_owner"
                {...form.getInputProps(`requiredClaims.${index}.selector`)}
              />
              <TagsInput
                flex="2 1 12rem"
                label="Is one of"
                placeholder={rows[index]?.values.length ? '' : 'acme'}
                acceptValueOnBlur
                {...form.getInputProps(`requiredClaims.${index}.values`)}
              />
            </Group>
            <CloseButton
              mt={27}
              aria-label={`Remove required claim ${rows[index]?.selector || index + 1}`}
              onClick={() => form.removeListItem('requiredClaims', index)}
            />
          </Group>
        ))}
        {error && <Input.Error>{error}</Input.Error>}
        <div>
          <Button
            variant="default"
            size="xs"
            disabled={isFull(rows)}
            onClick={() => form.insertListItem('requiredClaims', newClaimRow())}
          >
            Require a claim
          </Button>
        </div>
      </Stack>
    </Fieldset>
  )
}
