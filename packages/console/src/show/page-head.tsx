import { Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

interface PageHeadProps {
  readonly title: string
  readonly description?: ReactNode
  /** The link to the parent page. */
  readonly back?: ReactNode
  readonly children?: ReactNode
}

/** The page's title, also set as window title, with its actions. */
export function PageHead({ title, description, back, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Countersign`
  }, [title])
  return (
    <header>
      {back && (
        <Text size="sm" className="breakable">
          ← {back}
        </Text>
      )}
      <Group justify="space-between" align="start" mb={description ? 'xs' : 'md'} gap="sm">
        <Title order={1} size="h2" className="breakable">
          {title}
        </Title>
        {children && <Group gap="xs">{children}</Group>}
      </Group>
      {description && (
        <Text c="dimmed" mb="md" maw={720}>
          {description}
        </Text>
      )}
    </header>
  )
}
