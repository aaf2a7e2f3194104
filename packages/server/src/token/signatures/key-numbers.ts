import type { KeyObject } from 'node:crypto'
import type { SignatureToCheck } from '@countersign/core'
import type { NewKey } from './signature-thread.ts'

type Algorithm = SignatureToCheck['algorithm']
type Send = (message: NewKey | 'forget keys') => void

/** Numbers the keys sent to the signature thread: each key is sent once, before its first signature. */
export class KeyNumbers {
  readonly #maxKeys: number
  readonly #send: Send
  #numbers = new WeakMap<KeyObject, Map<Algorithm, number>>()
  #sent = 0
  /** Numbers are never reused: a number identifies the right key or none. */
  #next = 0

  constructor(send: Send, maxKeys = 20_000) {
    this.#send = send
    this.#maxKeys = maxKeys
  }

  /** Call between messages. Makes the thread drop all keys when it holds too many, most of which are no longer used. */
  makeRoom(): void {
    if (this.#sent < this.#maxKeys) return
    this.#send('forget keys')
    this.#numbers = new WeakMap()
    this.#sent = 0
  }

  of({ key, algorithm }: Pick<SignatureToCheck, 'key' | 'algorithm'>): number {
    return this.#numbers.get(key)?.get(algorithm) ?? this.#sendKey(key, algorithm)
  }

  #sendKey(key: KeyObject, algorithm: Algorithm): number {
    const number = this.#next
    this.#send({ number, key, hash: algorithm.hash, options: algorithm.options })
    const numbers = this.#numbers.get(key) ?? new Map<Algorithm, number>()
    this.#numbers.set(key, numbers.set(algorithm, number))
    this.#next += 1
    this.#sent += 1
    return number
  }
}
