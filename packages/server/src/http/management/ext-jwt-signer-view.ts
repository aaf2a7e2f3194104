import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import type { StoredSigner } from '../../store/signer-row.ts'
import { channelPath, scimPath } from '../api-paths.ts'
import { NO_INSTANT, selfLink, timestamp } from '../pipeline/envelope.ts'
import { createMemberView } from '../shared/member-view.ts'
import { trustView } from './trust-view.ts'

/** A signer, and the address of this controller: `https://host:port`. */
interface ShownSigner extends StoredSigner {
  readonly controllerUrl: string
}

const viewMembers = createMemberView<ShownSigner>(SIGNER.members, {
  fingerprint: ({ certificate }) => certificate?.fingerprint ?? null,
  commonName: ({ certificate }) => certificate?.commonName ?? '',
  notBefore: ({ certificate }) => (certificate ? timestamp(certificate.notBefore) : NO_INSTANT),
  notAfter: ({ certificate }) => (certificate ? timestamp(certificate.notAfter) : NO_INSTANT),
  jwksAuthorizationSet: ({ jwksAuthorization }) => jwksAuthorization !== null,
  sharedSignalsUrl: ({ controllerUrl, id }) => `${controllerUrl}${channelPath(id, 'events')}`,
  backchannelLogoutUrl: ({ controllerUrl, id }) => `${controllerUrl}${channelPath(id, 'backchannel-logout')}`,
  scimUrl: ({ controllerUrl, id }) => `${controllerUrl}${scimPath(id)}`,
  trust: ({ trust }) => trustView(trust),
})

/** A signer in a list of the management API. Every member is always present. */
export function signerView(signer: StoredSigner, collection: string, controllerUrl: string): Record<string, unknown> {
  return {
    _links: selfLink(collection, signer.id),
    id: signer.id,
    createdAt: timestamp(signer.createdAt),
    updatedAt: timestamp(signer.updatedAt),
    tags: signer.tags,
    ...viewMembers({ ...signer, controllerUrl }),
  }
}
