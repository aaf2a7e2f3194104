import { hideUrlPassword } from './database-url.ts'
import type { LoadedSettings } from './load.ts'
import { SETTING_ROWS, type SettingRow } from './setting-row.ts'
import type { Settings } from './settings.ts'
import type { Origin } from './settings-source.ts'

const HIDDEN = '(hidden)'

/** Shows the effective settings, one line each: `port = 8443   (flag)`. Secrets are hidden. */
export function showSettings({ settings, origins }: LoadedSettings): string[] {
  const rows = SETTING_ROWS.map((row) => ({ row, text: `${row.key} = ${shownText(row, readValue(settings, row))}` }))
  const width = Math.max(...rows.map(({ text }) => text.length).filter((length) => length <= 60))
  return rows.map(({ row, text }) => `${text.padEnd(width)}   (${origins.get(row.key)})`)
}

/** Like `showSettings`, for programs: value in the form of the file and origin, by key. Secrets are hidden. */
export function showSettingsAsJson(loaded: LoadedSettings): { [key: string]: { value: unknown; origin: Origin } } {
  return Object.fromEntries(
    SETTING_ROWS.map((row) => {
      const value = readValue(loaded.settings, row)
      const shown = row.setting.secret === 'no' || value === null ? fileValue(row, value) : shownText(row, value)
      return [row.key, { value: shown, origin: loaded.origins.get(row.key) ?? 'default' }]
    }),
  )
}

function shownText({ setting }: SettingRow, value: unknown): string {
  if (setting.secret === 'url') return hideUrlPassword(String(value))
  if (setting.secret === 'value' && value !== null) return HIDDEN
  return setting.format(value)
}

function fileValue({ setting }: SettingRow, value: unknown): unknown {
  return Array.isArray(value) && value.length > 0 ? setting.fromText(setting.format(value)) : value
}

function readValue(settings: Settings, row: SettingRow): unknown {
  return row.path.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], settings)
}
