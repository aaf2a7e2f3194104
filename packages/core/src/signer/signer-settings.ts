import {
  type ExtJwtSignerPatch,
  type ExtJwtSignerWrite,
  SIGNER,
  type SignerSettings,
} from '@countersign/contract/ext-jwt-signer'
import type { JsonObject } from '../json/json-value.ts'
import {
  type BodyRules,
  givenSettings,
  newSettings,
  patchedSettings,
  replacedSettings,
} from '../resource/apply-body.ts'
import { readTags } from '../tag/read-tags.ts'
import { readSharedSignals } from './shared-signals.ts'

export type { SignerSettings } from '@countersign/contract/ext-jwt-signer'

const RULES: BodyRules = {
  members: SIGNER.members,
  readers: {
    scopes: (value: string | readonly string[]) => scopeList(value),
    sharedSignals: readSharedSignals,
    tags: (value: JsonObject) => readTags('tags', value),
  },
  ignoresEmptyObjects: true,
}

/** The signer that a POST creates. */
export function signerFromBody(body: ExtJwtSignerWrite): SignerSettings {
  return newSettings(RULES, body)
}

/** The signer after a PUT. */
export function replacedSigner(current: SignerSettings, body: ExtJwtSignerWrite): SignerSettings {
  return replacedSettings(RULES, current, body)
}

/** The signer after a PATCH. Returns `current` itself when the body has no settings. */
export function patchedSigner<Current extends SignerSettings>(
  current: Current,
  body: ExtJwtSignerPatch,
): Current | SignerSettings {
  return patchedSettings<SignerSettings>(RULES, current, body)
}

/** The names of the settings that a body sets. */
export function givenSignerSettings(body: ExtJwtSignerPatch): string[] {
  return givenSettings(RULES, body)
}

function scopeList(given: string | readonly string[]): string[] | null {
  const scopes = typeof given === 'string' ? given.split(/\s/) : given
  const named = scopes.filter((scope) => scope !== '')
  return named.length > 0 ? named : null
}
