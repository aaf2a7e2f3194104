import { createLruCache } from '@countersign/core'
import { type Scheduler, systemScheduler } from '../../platform/scheduler.ts'
import { qrPng } from './qr-png.ts'

const MAX_KEPT_BYTES = 1_048_576
/** The pictures contain secrets. */
const KEEP_MS = 60_000

/** QR codes as PNG pictures. Drawing one takes milliseconds of the serving thread, and a session can ask for its own over and over. */
export class QrPictures {
  readonly #scheduler: Pick<Scheduler, 'after'>
  readonly #drawn = createLruCache<string, Buffer>(MAX_KEPT_BYTES, {
    weightOf: (picture, text) => picture.length + text.length,
  })

  constructor(scheduler: Pick<Scheduler, 'after'> = systemScheduler) {
    this.#scheduler = scheduler
  }

  get(text: string): Buffer {
    const drawn = this.#drawn.get(text)
    if (drawn) return drawn
    const picture = qrPng(text)
    if (this.#drawn.size === 0) this.#scheduler.after(KEEP_MS, () => this.#drawn.clear())
    this.#drawn.set(text, picture)
    return picture
  }
}
