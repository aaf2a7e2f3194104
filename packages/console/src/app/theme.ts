import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorScheme,
  type MantineColorSchemeManager,
} from '@mantine/core'

export const theme = createTheme({
  respectReducedMotion: true,
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
})

/** Text colours for tinted backgrounds; Mantine's own have too little contrast. */
const TINTED_TEXT: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  green: ['#1e6b30', '#8ce99a'],
  red: ['#a51111', '#ffc9c9'],
  orange: ['#8a3800', '#ffd8a8'],
  yellow: ['#6f4700', '#ffec99'],
  gray: ['#495057', '#ced4da'],
  blue: ['#1558a6', '#a5d8ff'],
}

/** Gives every text a contrast ratio of at least 4.5. */
export const readableColours: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#59626b',
    '--mantine-color-placeholder': '#6b747d',
    '--mantine-color-error': '#b71c1c',
    ...tinted(0),
  },
  dark: {
    '--mantine-color-dimmed': '#adb5bd',
    '--mantine-color-placeholder': '#9aa2aa',
    '--mantine-color-error': '#ff8787',
    ...tinted(1),
  },
})

function tinted(scheme: 0 | 1): Record<string, string> {
  const rows = Object.entries(TINTED_TEXT).map(([name, colours]) => [
    `--mantine-color-${name}-light-color`,
    colours[scheme],
  ])
  return Object.fromEntries(rows)
}

/** Keeps the colour scheme in memory only: the console stores nothing in the browser. */
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
