import {
  type LoadedSettings,
  loadSettings,
  SETTING_ROWS,
  type SettingRow,
  SettingsError,
} from '@countersign/server/config'
import { CliError, EXIT } from './cli-error.ts'
import type { Call, Flag } from './command.ts'

const CONFIG_FLAG: Flag = { name: 'config', value: 'FILE', description: 'Read settings from this YAML file' }

/** `--config` and the flags of the settings, or of those in `only`. */
export function buildSettingFlags(only?: readonly string[]): Flag[] {
  const flags: Flag[] = [CONFIG_FLAG]
  for (const { flag: name, setting } of SETTING_ROWS) {
    if (name === null || (only && !only.includes(name))) continue
    flags.push({
      name,
      description: `${setting.description}${formatDefault(setting)}`,
      repeatable: setting.repeatable,
      ...(setting.boolean ? { negatable: true } : { value: setting.flagValue ?? 'VALUE' }),
    })
  }
  return flags
}

/** ` [1280]`; empty for a switch and for settings that are unset or empty by default. */
function formatDefault(setting: SettingRow['setting']): string {
  const isEmpty =
    setting.boolean || setting.default === null || (Array.isArray(setting.default) && setting.default.length === 0)
  return isEmpty ? '' : ` [${setting.format(setting.default)}]`
}

/** Loads the settings of a call from its flags, the environment and the file. Throws CliError with all errors. */
export function loadCallSettings({ flags, env }: Pick<Call, 'flags' | 'env'>): LoadedSettings {
  try {
    return loadSettings({ flags, env })
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const hint = 'docs/configuration.md explains every setting, "countersign config show" prints the effective ones'
    throw new CliError(error.errors, { hint, exitCode: EXIT.usage, cause: error })
  }
}
