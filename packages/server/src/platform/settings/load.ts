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
 * Loads the settings: flags before environment before file before default. The file is the one of the flag `config` or of
 * `COUNTERSIGN_CONFIG`, if any. Throws a SettingsError that holds all mistakes at once.
 */
export function loadSettings(input: { readonly flags: Flags; readonly env: Environment }): LoadedSettings {
  const name = input.flags.config ?? (input.env.COUNTERSIGN_CONFIG || undefined)
  if (typeof name !== 'string') return resolveSettings(input)
  const file = loadText(name)
  if ('text' in file) return resolveSettings({ ...input, file: { name, text: file.text } })
  return resolveSettings({ ...input, unreadable: `file ${name}: ${file.problem}` })
}

interface SettingsInput {
  readonly flags: Flags
  readonly env: Environment
  readonly file?: SettingsFile
  /** Why the file could not be read; reported beside the other mistakes. */
  readonly unreadable?: string
}

/** The same without touching the disk. */
export function resolveSettings({ flags, env, file, unreadable }: SettingsInput): LoadedSettings {
  const sources = [readFlags(flags), readEnvironment(env), ...(file ? [readSettingsFile(file)] : [])]
  const problems = [...(unreadable ? [unreadable] : []), ...sources.flatMap((source) => source.problems)]
  const faulty = new Set<string>()
  const origins = new Map<string, Origin>()
  const values = new Map<string, unknown>()
  for (const row of SETTING_ROWS) {
    values.set(row.key, row.setting.default)
    origins.set(row.key, 'default')
    // From the weakest to the strongest, so that an overruled mistake is still reported.
    for (const source of sources.toReversed()) {
      if (!source.values.has(row.key)) continue
      const reading = row.setting.read(source.values.get(row.key))
      if ('refused' in reading) {
        faulty.add(row.key)
        problems.push(`${source.whereOf(row)}: must be ${row.setting.expected}${got(row, reading.refused)}`)
      } else {
        values.set(row.key, reading.value)
        origins.set(row.key, source.origin)
      }
    }
  }
  // Who chooses a port runs several controllers side by side: they must not meet at the default metrics port.
  const isUsualPort = values.get('port') === SETTINGS.port.default
  if (!isUsualPort && origins.get('metrics.port') === 'default') values.set('metrics.port', 0)
  const settings = nest(values)
  for (const rule of SETTING_RULES) {
    if ([rule.key, ...rule.others].some((key) => faulty.has(key))) continue
    const problem = rule.check(settings)
    if (problem) problems.push(`${whereOf(rule.key, sources, origins)}: ${problem}`)
  }
  if (problems.length > 0) throw new SettingsError(problems)
  return { settings, origins }
}

function whereOf(key: string, sources: readonly SettingsSource[], origins: ReadonlyMap<string, Origin>): string {
  const row = SETTING_ROWS.find((candidate) => candidate.key === key)
  const source = sources.find((candidate) => candidate.origin === origins.get(key))
  return row && source ? source.whereOf(row) : `default ${key}`
}

/** How a refused value is shown. A value of a secret setting never is, since it may be the secret with a slip in it. */
function got(row: SettingRow, refused: unknown): string {
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
