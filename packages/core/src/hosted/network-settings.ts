import type { NetworkPatch, NetworkWrite } from '@countersign/contract'
import { fieldError } from '../app-error.ts'
import { checkPlainText } from '../text/plain-text.ts'

/** What can be set of a network. */
export interface NetworkSettings {
  readonly name: string
  /** The organization's first group unless given. */
  readonly networkGroupId: string | undefined
  readonly size: string
  readonly provider: string
  readonly region: string
  readonly controllerUrl: string | null
}

/** Blank text means "not given". */
export function networkFromBody(body: NetworkWrite): NetworkSettings {
  return checked({
    name: body.name,
    networkGroupId: body.networkGroupId || undefined,
    size: body.size || 'small',
    provider: body.provider || 'SELF',
    region: body.region || 'local',
    controllerUrl: body.controllerUrl || null,
  })
}

/** Blank text changes nothing, except that it takes the controller's address away. */
export function patchedNetwork(current: NetworkSettings, patch: NetworkPatch): NetworkSettings {
  return checked({
    name: patch.name ?? current.name,
    networkGroupId: patch.networkGroupId || current.networkGroupId,
    size: patch.size || current.size,
    provider: patch.provider || current.provider,
    region: patch.region || current.region,
    controllerUrl: patch.controllerUrl === undefined ? current.controllerUrl : patch.controllerUrl || null,
  })
}

function checked(network: NetworkSettings): NetworkSettings {
  if (network.name === '') throw fieldError('name', 'name is required', network.name)
  checkPlainText('name', network.name)
  return network
}
