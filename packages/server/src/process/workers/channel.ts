import { Slots } from '@countersign/core'
import { fromProcessError, processEnded, type SentProcessError, toProcessError } from './sent-error.ts'

/** The procedures that one side offers the other, by name: one argument, a result or a promise of one. */
// biome-ignore lint/suspicious/noExplicitAny: each procedure has its own argument type
export type Procedures = Record<string, (argument: any) => unknown>

type ArgumentOf<P> = P extends (argument: infer A) => unknown ? A : never
type ResultOf<P> = P extends (...args: never[]) => infer R ? Awaited<R> : never

/** Calls procedures of the other process. */
export interface Channel<Theirs extends Procedures> {
  /** Calls and waits for the result. Rejects with the error of the other side, or when the other process has ended. */
  call<Name extends keyof Theirs & string>(
    name: Name,
    argument: ArgumentOf<Theirs[Name]>,
  ): Promise<ResultOf<Theirs[Name]>>
  /** Calls without waiting for a result. Ignored when the other process has ended. */
  send<Name extends keyof Theirs & string>(name: Name, argument: ArgumentOf<Theirs[Name]>): void
  /** Call when the other process has ended: rejects all pending calls. */
  close(): void
}

interface Port {
  send(message: Message): void
  onMessage(listener: (message: Message) => void): void
}

type Message =
  | { readonly name: string; readonly argument: unknown; readonly id?: number }
  | { readonly resultOf: number; readonly value: unknown }
  | { readonly resultOf: number; readonly error: SentProcessError }

/** Two-way calls over ordered messages, such as those between a process and its parent. */
export function createChannel<Theirs extends Procedures>(port: Port, ours: Procedures): Channel<Theirs> {
  const pending = new Slots<PromiseWithResolvers<unknown>>()
  let isClosed = false

  const post = (message: Message): void => {
    if (!isClosed) port.send(message)
  }

  const serve = async (id: number | undefined, name: string, argument: unknown): Promise<void> => {
    try {
      const value = await ours[name]?.(argument)
      if (id !== undefined) post({ resultOf: id, value })
    } catch (error) {
      if (id !== undefined) post({ resultOf: id, error: toProcessError(error) })
    }
  }

  port.onMessage((message) => {
    if ('name' in message) return void serve(message.id, message.name, message.argument)
    const call = pending.take(message.resultOf)
    if ('error' in message) call?.reject(fromProcessError(message.error))
    else call?.resolve(message.value)
  })

  return {
    call: (name, argument) => {
      if (isClosed) return Promise.reject(processEnded())
      const call = Promise.withResolvers<unknown>()
      const id = pending.add(call)
      post({ name, argument, id })
      return call.promise as Promise<never>
    },
    send: (name, argument) => post({ name, argument }),
    close: () => {
      isClosed = true
      for (const call of pending.takeAll()) call.reject(processEnded())
    },
  }
}

/** Two-way calls with the process that started this one. */
export function createParentChannel<Theirs extends Procedures>(ours: Procedures): Channel<Theirs> {
  const port: Port = {
    send: (message) => {
      if (process.connected) process.send?.(message)
    },
    onMessage: (listener) => void process.on('message', listener),
  }
  return createChannel(port, ours)
}
