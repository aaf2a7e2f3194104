import { type KeyObject, verify } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

/** A key, sent before the first signature that is checked with it. Its number is never another key's. */
export interface NewKey {
  readonly number: number
  readonly key: KeyObject
  readonly hash: string | null
  readonly options: object | undefined
}

/** Of each signature the number of its key, what was signed, and the signature, the last two with one byte to a character. */
export type Signatures = readonly (number | string)[]

export type ToSignatureThread = NewKey | Signatures | 'forget keys'

/** Whether each of the signatures of one message is good, in their order. */
export type FromSignatureThread = readonly boolean[]

const port = parentPort
if (!port) throw new TypeError('signatures are checked on a worker thread')

const keys = new Map<number, Pick<NewKey, 'key' | 'hash'>>()

port.on('message', (message: ToSignatureThread) => {
  if (message === 'forget keys') keys.clear()
  else if ('key' in message) keys.set(message.number, { hash: message.hash, key: withOptions(message) })
  else port.postMessage(checkAll(message))
})

/** The key carries them, as `crypto.verify` takes them fastest; on its way here it has lost them. */
function withOptions({ key, options }: NewKey): KeyObject {
  return Object.assign(key, options)
}

function checkAll(signatures: Signatures): FromSignatureThread {
  const verdicts: boolean[] = []
  for (let at = 0; at < signatures.length; at += 3) {
    verdicts.push(isGood(Number(signatures[at]), String(signatures[at + 1]), String(signatures[at + 2])))
  }
  return verdicts
}

function isGood(keyNumber: number, input: string, signature: string): boolean {
  const by = keys.get(keyNumber)
  try {
    return by !== undefined && verify(by.hash, Buffer.from(input, 'latin1'), by.key, Buffer.from(signature, 'latin1'))
  } catch {
    return false
  }
}
