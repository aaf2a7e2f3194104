import { createTheme, type MantineColorScheme, type MantineColorSchemeManager } from '@mantine/core'

/** Colours are those of Mantine where text on them keeps a contrast of 4.5. */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
})

/** Remembers light or dark for as long as the page is open: the console keeps nothing in the browser. */
export function createMemoryColorScheme(): MantineColorSchemeManager {
  let chosen: MantineColorScheme | undefined
  return {
    get: (defaultValue) => chosen ?? defaultValue,
    set: (value) => {
      chosen = value
    },
    subscribe: () => undefined,
    unsubscribe: () => undefined,
    clear: () => {
      chosen = undefined
    },
  }
}
