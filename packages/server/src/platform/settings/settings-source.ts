import { findClosestName } from './closest-name.ts'
import { SETTING_ROWS, type SettingRow } from './setting-row.ts'

/** The source of an effective value. */
export type Origin = 'flag' | 'environment' | 'file' | 'default'

/** The values of one source by key, in the form of the file, and errors about names that are no settings. */
export interface SettingsSource {
  readonly origin: Origin
  readonly values: ReadonlyMap<string, unknown>
  readonly errors: readonly string[]
  /** The prefix of errors about a setting: `flag --port`. */
  whereOf(row: SettingRow): string
}

/** Flags by name without dashes, as `parseArgs` of `node:util` returns them. */
export type Flags = { readonly [name: string]: string | boolean | readonly (string | boolean)[] | undefined }
export type Environment = { readonly [name: string]: string | undefined }

const PREFIX = 'COUNTERSIGN_'

/** Variables that are not settings: the path of the settings file, stack traces, and the CLI's own. */
const OTHER_VARIABLES = new Set([
  'COUNTERSIGN_CONFIG',
  'COUNTERSIGN_DEBUG',
  'COUNTERSIGN_HOSTED_URL',
  'COUNTERSIGN_PROFILE',
  'COUNTERSIGN_CREDENTIALS',
  'COUNTERSIGN_CLIENT_ID',
  'COUNTERSIGN_PASSWORD',
  'COUNTERSIGN_AUTHENTICATION_URL',
  'COUNTERSIGN_API_TOKEN',
])

const ROW_BY_ENV = new Map(SETTING_ROWS.map((row) => [row.env, row]))

/** Reads the flags that are settings; others belong to the command and are ignored. */
export function readFlags(flags: Flags): SettingsSource {
  const values = new Map<string, unknown>()
  for (const row of SETTING_ROWS) {
    const given = row.flag === null ? undefined : flags[row.flag]
    if (given !== undefined) values.set(row.key, flagValue(row, given))
  }
  return { origin: 'flag', values, errors: [], whereOf: (row) => `flag --${row.flag}` }
}

function flagValue(row: SettingRow, given: NonNullable<Flags[string]>): unknown {
  if (typeof given === 'string') return row.setting.fromText(given)
  if (typeof given === 'boolean') return given
  return row.setting.fromText(given.join(','))
}

/** Reads `COUNTERSIGN_…`. An empty variable counts as unset; an unknown one is an error. */
export function readEnvironment(env: Environment): SettingsSource {
  const values = new Map<string, unknown>()
  const errors: string[] = []
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || !text || OTHER_VARIABLES.has(name) || isServiceLink(name, text)) continue
    const row = ROW_BY_ENV.get(name)
    if (row) values.set(row.key, row.setting.fromText(text))
    else errors.push(`environment ${name}: is not a setting${suggestion(name, [...ROW_BY_ENV.keys()])}`)
  }
  return { origin: 'environment', values, errors, whereOf: (row) => `environment ${row.env}` }
}

/** Variables that Kubernetes sets in every pod of a namespace with a service named `countersign` or `countersign-…`. */
function isServiceLink(name: string, text: string): boolean {
  return (
    /_SERVICE_(HOST|PORT)(_|$)/.test(name) ||
    /_PORT_[0-9]+_(TCP|UDP|SCTP)(_|$)/.test(name) ||
    (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(text))
  )
}

/** `, did you mean X?` or an empty text. */
export function suggestion(name: string, candidates: readonly string[]): string {
  const closest = findClosestName(name, candidates)
  return closest === undefined ? '' : `, did you mean ${closest}?`
}
