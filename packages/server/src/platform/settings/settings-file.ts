import { loadYaml } from '../load-yaml.ts'
import { SETTING_ROWS } from './setting-row.ts'
import { type SettingsSource, suggestion } from './settings-source.ts'

/** A settings file; errors show its name. */
export interface SettingsFile {
  readonly name: string
  readonly text: string
}

const KEYS = SETTING_ROWS.map((row) => row.key)
const SECTIONS = new Set(
  SETTING_ROWS.filter((row) => row.path.length > 1).map((row) => row.path.slice(0, -1).join('.')),
)

/** Reads a YAML settings file. Aliases and duplicate or unknown keys are errors; a section may be empty. */
export function readSettingsFile(file: SettingsFile): SettingsSource {
  const where = `file ${file.name}`
  const values = new Map<string, unknown>()
  const errors: string[] = []
  const visit = (node: object, parents: readonly string[]): void => {
    for (const [name, value] of Object.entries(node) as [string, unknown][]) {
      const path = [...parents, name]
      const key = path.join('.')
      if (SECTIONS.has(key)) {
        if (isMapping(value)) visit(value, path)
        else if (value !== null) errors.push(`${where}: ${key}: must be a section of settings`)
      } else if (KEYS.includes(key)) {
        values.set(key, value)
      } else {
        errors.push(`${where}: ${key}: is not a setting${suggestion(key, KEYS)}`)
      }
    }
  }
  const parsed = parseYaml(file.text)
  if ('errors' in parsed) errors.push(...parsed.errors.map((error) => `${where}: ${error}`))
  else if (isMapping(parsed.root)) visit(parsed.root, [])
  else if (parsed.root !== null) errors.push(`${where}: must be a list of "key: value" lines`)
  return { origin: 'file', values, errors, whereOf: (row) => `${where}: ${row.key}` }
}

function parseYaml(text: string): { root: unknown } | { errors: string[] } {
  const document = loadYaml().parseDocument(text, { strict: true, uniqueKeys: true, stringKeys: true })
  const errors = [...document.errors, ...document.warnings]
  if (errors.length > 0) return { errors: errors.map(({ message }) => firstLine(message)) }
  try {
    // No aliases: settings need none, and nested aliases expand without bound.
    return { root: document.toJS({ maxAliasCount: 0 }) as unknown }
  } catch {
    return { errors: ['aliases (*name) are not supported'] }
  }
}

/** Drops the excerpt of the file that the parser adds to its message: it could contain a secret. */
function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '')
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
