import { SCIM_MEDIA_TYPE } from '@countersign/core'
import type { SendScim } from '../dev/index.ts'
import { scimPath } from '../http/api-paths.ts'
import { type DeliveryParts, findLocalSigner } from './deliver-messages.ts'

const ACCEPTED = [200, 201, 204]

/** Sends the SCIM requests of the local provider to the controller, over the network as any provider does. */
export function createScimSender(parts: DeliveryParts): SendScim {
  const { fetchDocument, controllerUrl, readCa } = parts
  return async ({ method, path, body }, bearer) => {
    const { id } = await findLocalSigner(parts)
    const content = body && { text: { type: SCIM_MEDIA_TYPE, content: JSON.stringify(body) } }
    const { body: bytes } = await fetchDocument(`${controllerUrl}${scimPath(id)}${path}`, {
      accept: SCIM_MEDIA_TYPE,
      mediaTypes: [SCIM_MEDIA_TYPE],
      statuses: ACCEPTED,
      caPem: await readCa(),
      send: { method, bearer, ...content },
    })
    return bytes.length === 0 ? undefined : JSON.parse(bytes.toString())
  }
}
