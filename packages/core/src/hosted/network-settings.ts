import { NETWORK, type NetworkPatch, type NetworkSettings, type NetworkWrite } from '@countersign/contract/organization'
import { fieldError } from '../app-error.ts'
import { newSettings, patchedSettings, replacedSettings } from '../resource/apply-body.ts'
import { checkPlainText } from '../text/plain-text.ts'

export type { NetworkSettings } from '@countersign/contract/organization'

/** The settings of the network that a POST creates. */
export function networkFromBody(body: NetworkWrite): NetworkSettings {
  return checked(newSettings(NETWORK, body))
}

export function replacedNetwork(current: NetworkSettings, body: NetworkWrite): NetworkSettings {
  return checked(replacedSettings(NETWORK, current, body))
}

export function patchedNetwork(current: NetworkSettings, patch: NetworkPatch): NetworkSettings {
  return checked(patchedSettings(NETWORK, current, patch))
}

function checked(network: NetworkSettings): NetworkSettings {
  if (network.name === '') throw fieldError('name', 'name is required', network.name)
  checkPlainText('name', network.name)
  return network
}
