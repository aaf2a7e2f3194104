/** What a call with a session that is bound to a key needs. */
export const PROOF = 'a proof of possession in the header `DPoP` (RFC 9449)'

/** What the description of a token says about those that are bound to a key. */
export const BOUND_TOKEN = `One that is bound to a key is sent as \`Authorization: DPoP\`, with ${PROOF}`
