import type { DeliverMessage } from '../dev/index.ts'
import { channelPath } from '../http/api-paths.ts'
import type { FetchDocument, SentDocument } from '../outbound/fetch-document.ts'
import { listSignerIssuers } from '../store/reads/signer-reads.ts'
import type { Store } from '../store/store.ts'

export interface DeliveryParts {
  readonly store: Pick<Store, 'db'>
  readonly fetchDocument: FetchDocument
  /** The issuer of the local provider. */
  readonly issuer: string
  /** Where the controller listens: `https://host:port`. */
  readonly controllerUrl: string
  /** Reads the CA of the controller's certificate. */
  readonly readCa: () => Promise<string>
}

const ACCEPTED = { 'backchannel-logout': 200, events: 202 } as const

/** Sends what the local provider signs to the controller, over the network as any provider does. */
export function createDelivery(parts: DeliveryParts): DeliverMessage {
  const { fetchDocument, controllerUrl, readCa } = parts
  return async (channel, token) => {
    const signer = await findLocalSigner(parts)
    const send: SentDocument =
      channel === 'events'
        ? { method: 'POST', text: { type: 'application/secevent+jwt', content: token } }
        : { method: 'POST', form: { logout_token: token } }
    await fetchDocument(`${controllerUrl}${channelPath(signer.id, channel)}`, {
      accept: 'application/json',
      mediaTypes: ['text/plain'],
      statuses: [ACCEPTED[channel]],
      caPem: await readCa(),
      send,
    })
    return ACCEPTED[channel]
  }
}

/** The signer of the local provider. Throws when there is none. */
export async function findLocalSigner({ store, issuer }: Pick<DeliveryParts, 'store' | 'issuer'>) {
  const signer = (await listSignerIssuers(store.db)).find((one) => one.issuer === issuer)
  if (!signer) throw new Error('no signer has the issuer of the local provider')
  return signer
}
