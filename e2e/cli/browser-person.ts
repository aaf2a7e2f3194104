/** Stands in for a browser with alice in front of it: opens the address, signs in, and goes where it is sent. */
import { createBrowser } from '../../packages/server/test/dev/browser.fixture.ts'

const browser = createBrowser()
const page = await browser.open(process.argv[2] ?? '')
const { location } = await browser.submit(page, { person: 'alice' })
await fetch(location)
