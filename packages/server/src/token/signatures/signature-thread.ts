import { type KeyObject, verify } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

/** A key, sent before the first signature that it checks. Its number is never reused for another key. */
export interface NewKey {
  readonly number: number
  readonly key: KeyObject
  readonly hash: string | null
  readonly options: object | undefined
}

/** Three entries per signature: key number, signed input, signature. The last two are latin1 strings, one byte per character. */
export type Signatures = readonly (number | string)[]

export type ToSignatureThread = NewKey | Signatures | 'forget keys'

/** Whether each signature of one message is valid, in the same order. */
export type FromSignatureThread = readonly boolean[]

const port = parentPort
if (!port) throw new TypeError('signature-thread.ts must run on a worker thread')

const keys = new Map<number, Pick<NewKey, 'key' | 'hash'>>()

port.on('message', (message: ToSignatureThread) => {
  if (message === 'forget keys') keys.clear()
  else if ('key' in message) keys.set(message.number, { hash: message.hash, key: withOptions(message) })
  else port.postMessage(checkAll(message))
})

/** Sets the options on the key, the fastest form for `crypto.verify`. Structured cloning drops them. */
function withOptions({ key, options }: NewKey): KeyObject {
  return Object.assign(key, options)
}

function checkAll(signatures: Signatures): FromSignatureThread {
  const results: boolean[] = []
  for (let at = 0; at < signatures.length; at += 3) {
    results.push(isValid(Number(signatures[at]), String(signatures[at + 1]), String(signatures[at + 2])))
  }
  return results
}

function isValid(keyNumber: number, input: string, signature: string): boolean {
  const known = keys.get(keyNumber)
  try {
    return (
      known !== undefined &&
      verify(known.hash, Buffer.from(input, 'latin1'), known.key, Buffer.from(signature, 'latin1'))
    )
  } catch {
    return false
  }
}
