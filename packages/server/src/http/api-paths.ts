/** Base paths of the two edge APIs. */
export const MANAGEMENT = '/edge/management/v1'
export const CLIENT = '/edge/client/v1'

/** Where the list of revoked certificates is. */
export const REVOCATION_LIST = `${CLIENT}/pki/crl`

/** The paths of a call that both APIs serve. */
export const onBothApis = (path: string): string[] => [CLIENT + path, MANAGEMENT + path]

/** The names of the collection of signers: the product's own, and the one that existing clients use. */
export const SIGNER_COLLECTIONS = ['ext-jwt-signers', 'external-jwt-signers'] as const

/** The calls of identity providers. */
export type ChannelName = 'backchannel-logout' | 'events'

/** The paths of a call that the identity provider of a signer makes. */
export function channelPaths(name: ChannelName): string[] {
  return SIGNER_COLLECTIONS.map((collection) => `${CLIENT}/${collection}/:id/${name}`)
}

/** The path of such a call for one signer. */
export function channelPath(signerId: string, name: ChannelName): string {
  return `${CLIENT}/external-jwt-signers/${signerId}/${name}`
}

const CHANNEL_PATH = new RegExp(
  `^${CLIENT}/(?:${SIGNER_COLLECTIONS.join('|')})/[^/?]+/(backchannel-logout|events)/?(?:\\?|$)`,
)

export function channelOfPath(url: string): ChannelName | undefined {
  return CHANNEL_PATH.exec(url)?.[1] as ChannelName | undefined
}

/** Whether a path, with or without query, is the given one or below it. Runs for every request, so it allocates nothing. */
export function isBelow(url: string, root: string): boolean {
  if (!url.startsWith(root)) return false
  return url.length === root.length || url[root.length] === '/' || url[root.length] === '?'
}

/** Base path of SCIM; the id of the signer follows. */
export const SCIM = '/scim/v2'

/** The path of SCIM for one signer. */
export function scimPath(signerId: string): string {
  return `${SCIM}/${signerId}`
}
