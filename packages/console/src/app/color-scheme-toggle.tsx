import { Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'

/** Overrides the system's colour scheme until the page is reloaded. */
export function ColorSchemeToggle() {
  const shown = useComputedColorScheme('light')
  const { setColorScheme } = useMantineColorScheme()
  const other = shown === 'dark' ? 'light' : 'dark'
  return (
    <Button
      variant="default"
      size="xs"
      px={8}
      onClick={() => setColorScheme(other)}
      aria-label={`Use ${other} colours`}
    >
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
        <path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" />
      </svg>
    </Button>
  )
}
