import type { PresetSigner } from '@countersign/contract/signer-presets'
import { controller } from '../../api/client.ts'
import { errorText } from '../../api/error-text.ts'

/** What the provider's discovery document says about the signer of a preset. */
export type PresetCheck =
  | { readonly state: 'running' }
  | { readonly state: 'failed'; readonly reason: string }
  /** `published` is the JWKS endpoint of the document. */
  | { readonly state: 'verified'; readonly published: string }

/** Reads the discovery document of the issuer. */
export async function verifyPreset({ issuer }: PresetSigner): Promise<PresetCheck> {
  try {
    const { jwksEndpoint } = await controller.signers.discover(issuer)
    return { state: 'verified', published: jwksEndpoint }
  } catch (error) {
    return { state: 'failed', reason: errorText(error).replace(/\.$/, '') }
  }
}
