import type { JsonSchema } from './setting.ts'
import { SETTING_ROWS, type SettingRow } from './setting-row.ts'

/** Builds the JSON schema of the settings file from the table. Draft-07, which editors support best. */
export function buildSettingsSchema(): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  const sections = Map.groupBy(SETTING_ROWS, (row) => row.path.slice(0, -1).join('.'))
  for (const [section, rows] of sections) {
    const members = Object.fromEntries(rows.map((row) => [row.path.at(-1) ?? '', settingSchema(row)]))
    if (section === '') Object.assign(properties, members)
    else properties[section] = { type: ['object', 'null'], additionalProperties: false, properties: members }
  }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Settings of the Countersign controller',
    type: ['object', 'null'],
    additionalProperties: false,
    properties,
  }
}

function settingSchema({ setting }: SettingRow): JsonSchema {
  const value = setting.default
  const shown = Array.isArray(value) ? setting.fromText(value.length === 0 ? '' : setting.format(value)) : value
  return { description: setting.description, ...setting.schema, ...(shown === null ? {} : { default: shown }) }
}
