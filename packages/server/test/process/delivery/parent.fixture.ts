import { pino } from 'pino'
import { loadSettings } from '../../../src/platform/settings/index.ts'
import { createSender } from '../../../src/process/delivery/sender-handle.ts'
import { batchFrom, fileRecipient } from './sender.fixture.ts'

/** A process that sends an event to a file, and writes the id of the process that sent it: it is killed by a test. */
const [folder = ''] = process.argv.slice(2)
const { settings } = loadSettings({ flags: {}, env: {} })
const sender = createSender({ settings, folder, log: pino({ level: 'silent' }) })
await sender.send(fileRecipient(), batchFrom(1, 1), 5_000)
process.send?.(sender.pid)
// Stays until it is killed.
setInterval(() => {}, 60_000)
