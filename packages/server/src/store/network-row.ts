import type { NetworkSettings } from '@countersign/core'
import type { NetworkRow } from './hosted-schema.ts'

/** The columns of a network's settings except its group, which is looked up first. */
export function networkColumns({
  name,
  size,
  provider,
  region,
  controllerUrl,
}: Omit<NetworkSettings, 'networkGroupId'>) {
  return { name, size, provider, region, controller_url: controllerUrl }
}

export function networkSettingsFromRow(row: NetworkRow): NetworkSettings {
  const { name, size, provider, region } = row
  return { name, size, provider, region, networkGroupId: row.network_group_id, controllerUrl: row.controller_url }
}
