import { Button, CloseButton, Fieldset, Group, Input, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { RuleField } from './rule-field.tsx'

interface RuleListFieldProps {
  readonly label: ReactNode
  readonly description: string
  readonly placeholder: string
  readonly maxRules: number
  readonly value?: readonly string[]
  readonly error?: ReactNode
  readonly onChange: (rules: string[]) => void
  /** Finds the field when it is refused. */
  readonly 'data-path'?: string
}

/** The input of a list of rules, each in a field of its own: they are long, and may have any character. */
export function RuleListField({ label, description, placeholder, maxRules, ...list }: RuleListFieldProps) {
  const { value: rules = [], error, onChange, 'data-path': path } = list
  return (
    <Fieldset legend={label} data-path={path} tabIndex={-1}>
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          {description}
        </Text>
        {rules.map((rule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no identity besides its place
          <Group key={index} align="start" gap="xs" wrap="nowrap">
            <RuleField
              flex={1}
              aria-label={`Rule ${index + 1}`}
              placeholder={placeholder}
              value={rule}
              onChange={(event) => onChange(rules.with(index, event.currentTarget.value))}
            />
            <CloseButton aria-label={`Remove rule ${index + 1}`} onClick={() => onChange(rules.toSpliced(index, 1))} />
          </Group>
        ))}
        {error && <Input.Error>{error}</Input.Error>}
        <div>
          <Button
            variant="default"
            size="xs"
            disabled={rules.length >= maxRules}
            onClick={() => onChange([...rules, ''])}
          >
            Add a rule
          </Button>
        </div>
      </Stack>
    </Fieldset>
  )
}
