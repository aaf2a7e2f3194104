/** The settings of the controller: one table, and the flags, variables and documents that follow from it. */
export { type LoadedSettings, loadSettings } from './load.ts'
export type { PortRange } from './setting-lists.ts'
export { SETTING_ROWS, type SettingRow } from './setting-row.ts'
export { MAX_OIDC_TOKEN_SECONDS, type Settings } from './settings.ts'
export { SettingsError } from './settings-error.ts'
export type { Environment, Flags, Origin } from './settings-source.ts'
export { showSettings, showSettingsAsJson } from './show.ts'
