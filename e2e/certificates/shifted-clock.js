// Preloaded into a controller: its clock is behind by the days in the file of CLOCK_FILE, and what it does every hour it does five times a second.
import { readFileSync } from 'node:fs'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const OFTEN_MS = 200
const READ_MS = 50
const RealDate = Date
const realSetInterval = setInterval
let daysBehind = 0
let readAt = 0

function now() {
  const real = RealDate.now()
  if (real - readAt > READ_MS) {
    daysBehind = Number(readFileSync(process.env.CLOCK_FILE, 'utf8'))
    readAt = real
  }
  return real - daysBehind * DAY_MS
}

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given))
  }
  static now() {
    return now()
  }
}
globalThis.setInterval = (task, ms, ...rest) => realSetInterval(task, ms === HOUR_MS ? OFTEN_MS : ms, ...rest)
