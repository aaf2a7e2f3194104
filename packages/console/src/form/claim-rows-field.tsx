import { Button, Checkbox, CloseButton, Fieldset, Group, Input, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { type ClaimRow, isFull, newClaimRow } from './claim-rows.ts'

interface ClaimForm {
  readonly errors: Readonly<Record<string, ReactNode>>
  getInputProps(path: string, options?: { readonly type: 'checkbox' }): object
  removeListItem(path: string, index: number): void
  insertListItem(path: string, item: ClaimRow): void
}

interface ClaimRowsFieldProps {
  readonly form: ClaimForm
  /** The member of the form with the rows. */
  readonly name: string
  readonly rows: readonly ClaimRow[]
  readonly legend: ReactNode
  readonly description: string
  readonly addLabel: string
  /** What a row is called. */
  readonly rowName: string
}

/** Claims with their accepted values. */
export function ClaimRowsField({ form, name, rows, legend, description, addLabel, rowName }: ClaimRowsFieldProps) {
  const error = form.errors[name]
  return (
    <Fieldset legend={legend} data-path={name} tabIndex={-1}>
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          {description}
        </Text>
        {rows.map(({ key, selector, values, isPattern }, index) => (
          <Group key={key} align="start" gap="xs" wrap="nowrap">
            <Group align="start" gap="xs" flex={1}>
              <TextInput
                flex="1 1 10rem"
                label="Claim"
                placeholder="repository_owner"
                {...form.getInputProps(`${name}.${index}.selector`)}
              />
              <TagsInput
                flex="2 1 12rem"
                label={isPattern ? 'Matches' : 'Is one of'}
                placeholder={values.length > 0 ? '' : isPattern ? 'refs/heads/*' : 'acme'}
                acceptValueOnBlur
                {...form.getInputProps(`${name}.${index}.values`)}
              />
              <Checkbox
                mt={31}
                label="Pattern"
                title="* stands for any characters, ? for one"
                {...form.getInputProps(`${name}.${index}.isPattern`, { type: 'checkbox' })}
              />
            </Group>
            <CloseButton
              mt={27}
              aria-label={`Remove ${rowName} ${selector || index + 1}`}
              onClick={() => form.removeListItem(name, index)}
            />
          </Group>
        ))}
        {error && <Input.Error>{error}</Input.Error>}
        <div>
          <Button
            variant="default"
            size="xs"
            disabled={isFull(rows)}
            // The field that is left here changes its height, and would move the button away from the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => form.insertListItem(name, newClaimRow())}
          >
            {addLabel}
          </Button>
        </div>
      </Stack>
    </Fieldset>
  )
}
