import type { Logger } from 'pino'
import { eventLines, type RecordedEvent } from '../../store/event-lines.ts'
import type { EventRecorder } from '../event-hub.ts'

interface BufferedRecorderParts {
  readonly sinks: { readonly exist: boolean }
  readonly log: Logger
  /** Stores the lines of events. Rejects when that fails. */
  save(lines: string): Promise<void>
  /** Called when events were stored. */
  onSaved(): void
}

const MAX_BATCH = 100
/** While the store fails. */
const MAX_WAITING = 20_000
const RETRY_MS = 1_000

/** Records events that no operation records with its changes: soon after they happened, those of one turn of the event loop together. */
export class BufferedRecorder implements EventRecorder {
  readonly #parts: BufferedRecorderParts
  #waiting: RecordedEvent[] = []
  #saving: Promise<void> | undefined
  #retry: NodeJS.Timeout | undefined
  #lost = 0

  constructor(parts: BufferedRecorderParts) {
    this.#parts = parts
  }

  get isOn(): boolean {
    return this.#parts.sinks.exist
  }

  /** Number of events that were lost because the store failed for too long. */
  get lost(): number {
    return this.#lost
  }

  add(event: RecordedEvent): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lost++
      return
    }
    this.#waiting.push(event)
    if (this.#saving || this.#retry) return
    this.#saving = new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#save())
  }

  /** Resolves when all events that were added before are stored, or could not be. */
  async flush(): Promise<void> {
    await this.#saving
    if (this.#waiting.length > 0) await this.#save()
  }

  async #save(): Promise<void> {
    clearTimeout(this.#retry)
    this.#retry = undefined
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.slice(0, MAX_BATCH)
        await this.#parts.save(eventLines(batch))
        this.#waiting = this.#waiting.slice(batch.length)
        this.#parts.onSaved()
      }
    } catch (error) {
      this.#parts.log.warn({ err: error, events: this.#waiting.length }, 'events could not be recorded for sinks yet')
      this.#retry = setTimeout(() => {
        this.#saving = this.#save()
      }, RETRY_MS).unref()
    } finally {
      this.#saving = undefined
    }
  }
}
