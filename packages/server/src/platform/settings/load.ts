import { loadText } from './load-text.ts'
import { SETTING_ROWS, type SettingRow } from './setting-row.ts'
import { SETTING_RULES } from './setting-rules.ts'
import { SETTINGS, type Settings } from './settings.ts'
import { SettingsError } from './settings-error.ts'
import { readSettingsFile, type SettingsFile } from './settings-file.ts'
import {
  type Environment,
  type Flags,
  type Origin,
  readEnvironment,
  readFlags,
  type SettingsSource,
} from './settings-source.ts'

/** The effective settings, and by key where each came from. */
export interface LoadedSettings {
  readonly settings: Settings
  readonly origins: ReadonlyMap<string, Origin>
}

/**
 * Loads the settings: flags before environment before file before default. The flag `config` or `COUNTERSIGN_CONFIG` names the file, if any.
 * Throws a SettingsError with all errors.
 */
export function loadSettings(input: { readonly flags: Flags; readonly env: Environment }): LoadedSettings {
  const name = input.flags.config ?? (input.env.COUNTERSIGN_CONFIG || undefined)
  if (typeof name !== 'string') return resolveSettings(input)
  const file = loadText(name)
  if ('text' in file) return resolveSettings({ ...input, file: { name, text: file.text } })
  return resolveSettings({ ...input, unreadable: `file ${name}: ${file.error}` })
}

interface SettingsInput {
  readonly flags: Flags
  readonly env: Environment
  readonly file?: SettingsFile
  /** Why the file could not be read; reported with the other errors. */
  readonly unreadable?: string
}

/** Like `loadSettings`, with the file's text as input. */
export function resolveSettings({ flags, env, file, unreadable }: SettingsInput): LoadedSettings {
  const sources = [readFlags(flags), readEnvironment(env), ...(file ? [readSettingsFile(file)] : [])]
  const errors = [...(unreadable ? [unreadable] : []), ...sources.flatMap((source) => source.errors)]
  const faulty = new Set<string>()
  const origins = new Map<string, Origin>()
  const values = new Map<string, unknown>()
  for (const row of SETTING_ROWS) {
    values.set(row.key, row.setting.default)
    origins.set(row.key, 'default')
    // In ascending precedence, so that an error in an overridden value is still reported.
    for (const source of sources.toReversed()) {
      if (!source.values.has(row.key)) continue
      const reading = row.setting.read(source.values.get(row.key))
      if ('refused' in reading) {
        faulty.add(row.key)
        errors.push(`${source.whereOf(row)}: must be ${row.setting.expected}${describeRefused(row, reading.refused)}`)
      } else {
        values.set(row.key, reading.value)
        origins.set(row.key, source.origin)
      }
    }
  }
  // Several controllers on one machine have different ports: they must not share the default metrics port.
  const isDefaultPort = values.get('port') === SETTINGS.port.default
  if (!isDefaultPort && origins.get('metrics.port') === 'default') values.set('metrics.port', 0)
  const settings = nest(values)
  for (const rule of SETTING_RULES) {
    if ([rule.key, ...rule.others].some((key) => faulty.has(key))) continue
    const error = rule.check(settings)
    if (error) errors.push(`${whereOf(rule.key, sources, origins)}: ${error}`)
  }
  if (errors.length > 0) throw new SettingsError(errors)
  return { settings, origins }
}

function whereOf(key: string, sources: readonly SettingsSource[], origins: ReadonlyMap<string, Origin>): string {
  const row = SETTING_ROWS.find((candidate) => candidate.key === key)
  const source = sources.find((candidate) => candidate.origin === origins.get(key))
  return row && source ? source.whereOf(row) : `default ${key}`
}

/** The refused value for an error message. Empty for a secret setting, because the value may be the secret with a typo. */
function describeRefused(row: SettingRow, refused: unknown): string {
  if (row.setting.secret !== 'no') return ''
  const text = refused === null || refused === undefined ? 'nothing' : JSON.stringify(refused)
  return `, got ${text.length > 80 ? `${text.slice(0, 80)}…` : text}`
}

function nest(values: ReadonlyMap<string, unknown>): Settings {
  const root: Record<string, unknown> = {}
  for (const { key, path } of SETTING_ROWS) {
    const [first = '', second] = path
    if (second === undefined) root[first] = values.get(key)
    else root[first] = { ...(root[first] as object | undefined), [second]: values.get(key) }
  }
  return root as Settings
}
