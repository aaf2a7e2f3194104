/** A real controller with the local provider and the built console, and a real browser. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, afterEach, before } from 'node:test'
import { type ControllerResponse, createControllerStage, type ReadyController } from '@countersign/testkit'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { ensureConsole } from '../../tools/run/console.js'
import { launchBrowser, needsBrowser } from '../browser/launch-browser.ts'

export const ADMIN = { username: 'admin', password: 'the password of these tests' }
const MANAGEMENT = '/edge/management/v1'
const SESSION_COOKIE = '__Host-countersign'
const root = join(import.meta.dirname, '..', '..')

export interface ConsoleStage {
  readonly controller: ReadyController
  /** An administrator's session, for setup without the browser. */
  readonly session: string
  /** Calls the management API as administrator, for setup without the browser. Returns the data; a refusal fails the test. */
  manage(method: string, path: string, body?: unknown): Promise<ControllerResponse['json']>
  /** Opens a page in a new browser profile, which ends with the test. */
  open(options?: BrowserContextOptions & { readonly consoleUrl?: string }): Promise<Visit>
}

export interface Visit {
  readonly page: Page
  /** Script errors, dialogs and violations of the content security policy so far. Tests assert that it is empty. */
  readonly pageErrors: string[]
  /** Loads a page of the console and waits for its heading. */
  go(path: string): Promise<void>
  /** Goes to a page of another kind as a link does, without loading the console again, and waits for its heading. */
  follow(path: string): Promise<void>
  /** Waits until nothing on the page is loading. */
  settle(): Promise<void>
  /** Logs in with the form, which gives this browser a session of its own. */
  logInAsAdmin(): Promise<void>
  /** Loads a page of the console in the session of the stage: hashing a password takes longer than most tests. */
  goAsAdmin(path: string): Promise<void>
  /** Loads a page of the console in a session that was opened without the browser. */
  goAs(session: string, path: string): Promise<void>
  /** Ends the session of this browser without the page noticing. */
  endSession(): Promise<void>
  /** Presses Tab until the focused element matches the selector and contains the text. */
  reach(selector: string, text?: string): Promise<void>
}

/** Starts everything before the tests of a file and stops it after them. Returns a getter for the stage. */
export function useConsole(): () => ConsoleStage {
  const ends: (() => Promise<unknown>)[] = []
  let started: Awaited<ReturnType<typeof startConsole>> | undefined
  before(async () => {
    if (!needsBrowser.skip) started = await startConsole((end) => ends.push(end))
  })
  afterEach(() => started?.closePages())
  after(async () => {
    for (const end of ends.toReversed()) await end()
  })
  return () => {
    assert.ok(started)
    return started
  }
}

/** Starts a controller with the local provider, and a browser. What ends them is given to `onEnd`. */
export async function startConsole(
  onEnd: (end: () => Promise<unknown>) => void,
): Promise<ConsoleStage & { closePages(): Promise<void> }> {
  await ensureConsole({ root, node: process.execPath })
  const controller = await createControllerStage({ after: onEnd }).start({
    args: ['--dev'],
    env: { COUNTERSIGN_ADMIN_PASSWORD: ADMIN.password },
  })
  const browser = await launchBrowser()
  onEnd(() => browser.close())
  const session = await controller.logIn(ADMIN.password)
  return {
    controller,
    session,
    manage: async (method, path, body) => {
      const reply = await controller.request(method, MANAGEMENT + path, {
        session,
        ...(body !== undefined && { body }),
      })
      assert.ok(reply.status < 300, reply.text)
      return reply.json.data
    },
    open: ({ consoleUrl = controller.ready.consoleUrl, ...options } = {}) =>
      openVisit(browser, { controller, session }, { consoleUrl, ...options }),
    closePages: async () => {
      for (const context of browser.contexts()) await context.close()
    },
  }
}

async function openVisit(
  browser: Browser,
  { controller, session }: Pick<ConsoleStage, 'controller' | 'session'>,
  { consoleUrl, ...options }: BrowserContextOptions & { readonly consoleUrl: string },
): Promise<Visit> {
  // The browser does not know the controller's own CA.
  const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const pageErrors: string[] = []
  page.on('pageerror', (error) => pageErrors.push(error.message))
  page.on('dialog', (dialog) => {
    pageErrors.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) pageErrors.push(message.text())
  })
  const go = async (path: string) => {
    await page.goto(new URL(path, consoleUrl).href)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  const follow = async (path: string) => {
    const { href } = new URL(path, consoleUrl)
    await page.evaluate(
      `document.querySelector('h1').dataset.left = ''; history.pushState({}, '', ${JSON.stringify(href)})`,
    )
    await page.locator('h1:not([data-left])').waitFor()
  }
  const logInAsAdmin = async () => {
    await go('')
    await page.getByLabel('User name').fill(ADMIN.username)
    await page.getByRole('textbox', { name: 'Password' }).fill(ADMIN.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  }
  const goAs = async (value: string, path: string) => {
    const { origin: url } = new URL(consoleUrl)
    await context.addCookies([{ name: SESSION_COOKIE, value, url, secure: true, httpOnly: true, sameSite: 'Strict' }])
    await go(path)
  }
  const goAsAdmin = (path: string) => goAs(session, path)
  const endSession = async () => {
    const cookie = (await context.cookies()).find(({ name }) => name === SESSION_COOKIE)
    const path = `${MANAGEMENT}/current-api-session`
    assert.equal((await controller.request('DELETE', path, { session: cookie?.value ?? '' })).status, 200)
  }
  const settle = () => page.locator('[aria-busy="true"], [aria-label="Loading"]').first().waitFor({ state: 'detached' })
  const reach = async (selector: string, text = '') => {
    const target = page.locator(selector).filter({ hasText: text }).and(page.locator(':focus'))
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press('Tab')
      if ((await target.count()) > 0) return
    }
    assert.fail(`${selector} ${text} cannot be reached with the Tab key`)
  }
  return { page, pageErrors, go, follow, settle, logInAsAdmin, goAs, goAsAdmin, endSession, reach }
}
