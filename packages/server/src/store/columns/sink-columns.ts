import type { SinkFilter, SinkFormat, SinkKind, SinkSettings } from '@countersign/core'
import { bool, json, jsonOrNull, text, textOrNull } from './column.ts'
import type { ColumnsFor } from './column-map.ts'

/** Where the settings of an event sink are stored. */
export const SINK_COLUMNS = {
  name: text(),
  kind: text<SinkKind>(),
  url: textOrNull(),
  format: text<SinkFormat>(),
  filter: jsonOrNull<SinkFilter>(),
  enabled: bool(),
  tags: json<SinkSettings['tags']>(),
} satisfies ColumnsFor<SinkSettings>
