import { Slots } from '@countersign/core'
import { fromProcessError, processGone, type SentProcessError, toProcessError } from './sent-error.ts'

/** What one side does for the other, by name: an argument in, an answer or a promise of one out. */
// biome-ignore lint/suspicious/noExplicitAny: each procedure has an argument of its own
export type Procedures = Record<string, (argument: any) => unknown>

type ArgumentOf<P> = P extends (argument: infer A) => unknown ? A : never
type AnswerOf<P> = P extends (...args: never[]) => infer R ? Awaited<R> : never

/** How to reach the other process. */
export interface Channel<Theirs extends Procedures> {
  /** Asks and waits for the answer. Rejects with what the other side threw, or when it has gone. */
  call<Name extends keyof Theirs & string>(
    name: Name,
    argument: ArgumentOf<Theirs[Name]>,
  ): Promise<AnswerOf<Theirs[Name]>>
  /** Tells, and waits for nothing. What cannot be told any more is not. */
  tell<Name extends keyof Theirs & string>(name: Name, argument: ArgumentOf<Theirs[Name]>): void
  /** The other side has gone: whoever waits for it is told. */
  close(): void
}

interface Port {
  send(message: Message): void
  onMessage(listener: (message: Message) => void): void
}

type Message =
  | { readonly name: string; readonly argument: unknown; readonly id?: number }
  | { readonly answers: number; readonly value: unknown }
  | { readonly answers: number; readonly error: SentProcessError }

/** Two-way calls over messages that arrive in their order, such as those between a process and its parent. */
export function createChannel<Theirs extends Procedures>(port: Port, ours: Procedures): Channel<Theirs> {
  const waiting = new Slots<PromiseWithResolvers<unknown>>()
  let isClosed = false

  const send = (message: Message): void => {
    if (!isClosed) port.send(message)
  }

  const serve = async (id: number | undefined, name: string, argument: unknown): Promise<void> => {
    try {
      const value = await ours[name]?.(argument)
      if (id !== undefined) send({ answers: id, value })
    } catch (error) {
      if (id !== undefined) send({ answers: id, error: toProcessError(error) })
    }
  }

  port.onMessage((message) => {
    if ('name' in message) return void serve(message.id, message.name, message.argument)
    const asked = waiting.take(message.answers)
    if ('error' in message) asked?.reject(fromProcessError(message.error))
    else asked?.resolve(message.value)
  })

  return {
    call: (name, argument) => {
      if (isClosed) return Promise.reject(processGone())
      const asked = Promise.withResolvers<unknown>()
      const id = waiting.add(asked)
      send({ name, argument, id })
      return asked.promise as Promise<never>
    },
    tell: (name, argument) => send({ name, argument }),
    close: () => {
      isClosed = true
      for (const asked of waiting.takeAll()) asked.reject(processGone())
    },
  }
}
