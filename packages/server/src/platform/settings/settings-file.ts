import { loadYaml } from '../load-yaml.ts'
import { SETTING_ROWS } from './setting-row.ts'
import { type SettingsSource, suggestion } from './settings-source.ts'

/** A settings file: the name that problems show, and what it holds. */
export interface SettingsFile {
  readonly name: string
  readonly text: string
}

const KEYS = SETTING_ROWS.map((row) => row.key)
const SECTIONS = new Set(
  SETTING_ROWS.filter((row) => row.path.length > 1).map((row) => row.path.slice(0, -1).join('.')),
)

/** Reads a YAML file of settings. Aliases, duplicate and unknown keys are mistakes; a section may be empty. */
export function readSettingsFile(file: SettingsFile): SettingsSource {
  const where = `file ${file.name}`
  const values = new Map<string, unknown>()
  const problems: string[] = []
  const visit = (node: object, parents: readonly string[]): void => {
    for (const [name, value] of Object.entries(node) as [string, unknown][]) {
      const path = [...parents, name]
      const key = path.join('.')
      if (SECTIONS.has(key)) {
        if (isMapping(value)) visit(value, path)
        else if (value !== null) problems.push(`${where}: ${key}: must be a section of settings`)
      } else if (KEYS.includes(key)) {
        values.set(key, value)
      } else {
        problems.push(`${where}: ${key}: is not a setting${suggestion(key, KEYS)}`)
      }
    }
  }
  const parsed = parseYaml(file.text)
  if ('problems' in parsed) problems.push(...parsed.problems.map((problem) => `${where}: ${problem}`))
  else if (isMapping(parsed.root)) visit(parsed.root, [])
  else if (parsed.root !== null) problems.push(`${where}: must be a list of "key: value" lines`)
  return { origin: 'file', values, problems, whereOf: (row) => `${where}: ${row.key}` }
}

function parseYaml(text: string): { root: unknown } | { problems: string[] } {
  const document = loadYaml().parseDocument(text, { strict: true, uniqueKeys: true, stringKeys: true })
  const complaints = [...document.errors, ...document.warnings]
  if (complaints.length > 0) return { problems: complaints.map((complaint) => firstLine(complaint.message)) }
  try {
    // No alias at all: nothing here needs one, and nested aliases grow without bound.
    return { root: document.toJS({ maxAliasCount: 0 }) as unknown }
  } catch {
    return { problems: ['aliases (*name) are not supported'] }
  }
}

/** The parser adds an excerpt of the file below its message, which could hold a secret. */
function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '')
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
