/** Stands in for alice and her browser: opens the address, logs in, and follows the redirect. */
import { createBrowser } from '../../packages/server/test/dev/browser.fixture.ts'

const browser = createBrowser()
const page = await browser.open(process.argv[2] ?? '')
const { location } = await browser.submit(page, { person: 'alice' })
await fetch(location)
