import { Textarea, type TextareaProps } from '@mantine/core'

export function PemField(props: TextareaProps) {
  return (
    <Textarea
      autosize
      minRows={4}
      maxRows={12}
      spellCheck={false}
      autoComplete="off"
      placeholder="-----BEGIN CERTIFICATE-----"
      classNames={{ input: 'code-input' }}
      {...props}
    />
  )
}
