import { Code, Textarea, type TextareaProps } from '@mantine/core'
import { findMarkedLine } from './mistake-in-rule.ts'

/** The input of a rule. An error with a position shows the line, and marks the column. */
export function RuleField({ value, error, ...props }: TextareaProps) {
  return (
    <Textarea
      {...props}
      value={value}
      error={typeof error === 'string' ? <RuleError rule={String(value ?? '')} text={error} /> : error}
      autosize
      minRows={2}
      maxRows={12}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    />
  )
}

function RuleError({ rule, text }: { readonly rule: string; readonly text: string }) {
  const marked = findMarkedLine(rule, text)
  return (
    <>
      {text}
      {marked && (
        <Code block component="span" style={{ display: 'block' }}>
          {`${marked.line}\n${marked.mark}`}
        </Code>
      )}
    </>
  )
}
