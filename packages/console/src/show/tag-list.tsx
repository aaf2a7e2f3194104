import { Code, Group } from '@mantine/core'

export function TagList({ tags }: { readonly tags: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(tags)
  if (entries.length === 0) return '–'
  return (
    <Group component="span" gap={6}>
      {entries.map(([name, value]) => (
        <Code key={name} className="breakable">{`${name}: ${value}`}</Code>
      ))}
    </Group>
  )
}
