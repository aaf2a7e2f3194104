import { findNearestName } from './nearest-name.ts'
import { SETTING_ROWS, type SettingRow } from './setting-row.ts'

/** Where an effective value came from. */
export type Origin = 'flag' | 'environment' | 'file' | 'default'

/** What one source said: values as a file would hold them, by key, and what could not be placed at all. */
export interface SettingsSource {
  readonly origin: Origin
  readonly values: ReadonlyMap<string, unknown>
  readonly problems: readonly string[]
  /** How a problem with this setting begins: `flag --port`. */
  whereOf(row: SettingRow): string
}

/** Flags by name without dashes, as `node:util` parseArgs gives them. */
export type Flags = { readonly [name: string]: string | boolean | readonly (string | boolean)[] | undefined }
export type Environment = { readonly [name: string]: string | undefined }

const PREFIX = 'COUNTERSIGN_'

/** Variables that are no settings of the controller: the config file's path, stack traces, and the CLI's own. */
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

/** Reads the flags that are settings; others belong to the command and are left alone. */
export function readFlags(flags: Flags): SettingsSource {
  const values = new Map<string, unknown>()
  for (const row of SETTING_ROWS) {
    const given = row.flag === null ? undefined : flags[row.flag]
    if (given !== undefined) values.set(row.key, flagValue(row, given))
  }
  return { origin: 'flag', values, problems: [], whereOf: (row) => `flag --${row.flag}` }
}

function flagValue(row: SettingRow, given: NonNullable<Flags[string]>): unknown {
  if (typeof given === 'string') return row.setting.fromText(given)
  if (typeof given === 'boolean') return given
  return row.setting.fromText(given.join(','))
}

/** Reads `COUNTERSIGN_…`. An empty variable is an unset one; one that means nothing to us is a mistake. */
export function readEnvironment(env: Environment): SettingsSource {
  const values = new Map<string, unknown>()
  const problems: string[] = []
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || !text || OTHER_VARIABLES.has(name) || isServiceLink(name, text)) continue
    const row = ROW_BY_ENV.get(name)
    if (row) values.set(row.key, row.setting.fromText(text))
    else problems.push(`environment ${name}: is not a setting${suggestion(name, [...ROW_BY_ENV.keys()])}`)
  }
  return { origin: 'environment', values, problems, whereOf: (row) => `environment ${row.env}` }
}

/** Kubernetes puts these into every pod that lives beside a service named `countersign` or `countersign-…`. */
function isServiceLink(name: string, text: string): boolean {
  return (
    /_SERVICE_(HOST|PORT)(_|$)/.test(name) ||
    /_PORT_[0-9]+_(TCP|UDP|SCTP)(_|$)/.test(name) ||
    (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(text))
  )
}

/** `, did you mean X?` or nothing. */
export function suggestion(name: string, candidates: readonly string[]): string {
  const nearest = findNearestName(name, candidates)
  return nearest === undefined ? '' : `, did you mean ${nearest}?`
}
