import { type Browser, chromium } from 'playwright-core'
import { findBrowserProgram } from './browser-program.ts'

const program = findBrowserProgram()

/** Options of tests that need a browser. Without one they are skipped with what to do, and a skipped test fails the run. */
export const needsBrowser = {
  skip: program ? false : 'there is no Chromium: install one, or name it in CHROMIUM',
  timeout: 600_000,
}

/** Without them the browser emulates a GPU, which takes half of the processor time of the tests. */
const WITHOUT_GPU = ['--disable-gpu', '--disable-software-rasterizer']

/** Starts the browser. Throws when there is none. */
export function launchBrowser(): Promise<Browser> {
  if (!program) throw new Error(String(needsBrowser.skip))
  const { executablePath, env } = program
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...WITHOUT_GPU], env: { ...process.env, ...env } })
}
