import type { Setting } from './setting.ts'
import { SETTINGS } from './settings.ts'

/** A setting with its key and the names that follow from it. */
export interface SettingRow {
  /** `http.trustedProxies` */
  readonly key: string
  /** `['http', 'trustedProxies']` */
  readonly path: readonly string[]
  /** `COUNTERSIGN_HTTP_TRUSTED_PROXIES` */
  readonly env: string
  /** `http-trusted-proxies`, or null for a setting without a flag. */
  readonly flag: string | null
  readonly setting: Setting<unknown>
}

function isSetting(node: object): node is Setting<unknown> {
  return 'read' in node
}

function* walk(table: object, parents: readonly string[]): Generator<SettingRow> {
  for (const [name, node] of Object.entries(table) as [string, object][]) {
    const path = [...parents, name]
    if (!isSetting(node)) {
      yield* walk(node, path)
      continue
    }
    const words = path
      .join('.')
      .replace(/[A-Z]/g, (letter) => `.${letter}`)
      .toLowerCase()
      .split('.')
    const env = `COUNTERSIGN_${words.join('_').toUpperCase()}`
    yield { key: path.join('.'), path, env, flag: node.flagValue === null ? null : words.join('-'), setting: node }
  }
}

/** All settings in the order of the table. */
export const SETTING_ROWS: readonly SettingRow[] = [...walk(SETTINGS, [])]
