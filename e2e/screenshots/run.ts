/** `npm run screenshots`: takes the pictures of the console in `docs/images` again. */
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type ConsoleStage, startConsole, type Visit } from '../console/console-stage.ts'
import { type Seeded, seedRecords } from './seed-records.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'images')
const DESKTOP = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 360, height: 780 }, colorScheme: 'dark' } as const

interface Picture {
  readonly path: string | ((seeded: Seeded) => string)
  readonly screen?: BrowserContextOptions
  /** Whether the whole page is shown, however long. */
  readonly isWhole?: boolean
  /** What to do on the page first. */
  readonly prepare?: (page: Page, seeded: Seeded, stage: ConsoleStage) => Promise<void>
}

const PICTURES: Readonly<Record<string, Picture>> = {
  'console-overview': {
    path: '',
    prepare: (page) => page.getByText('Unknown', { exact: true }).first().waitFor({ state: 'detached' }),
  },
  'console-phone': { path: '', screen: PHONE, isWhole: true },
  'console-new-signer': {
    path: 'signers/new',
    isWhole: true,
    prepare: async (page, _, { controller }) => {
      await page.locator('[data-path="issuer"]').fill(controller.ready.identityProviderUrl ?? '')
      await page.getByRole('button', { name: 'Discover' }).click()
      await page.locator('[data-path="jwksEndpoint"][value^="http"]').waitFor()
      await page.locator('[data-path="name"]').fill('Our provider')
    },
  },
  'console-identity': {
    path: ({ identityId }) => `identities/${identityId}`,
    isWhole: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^Invite/ }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
      await page.getByRole('img', { name: /QR/ }).waitFor()
      await page.getByText('The invitation is created.').waitFor({ state: 'detached' })
    },
  },
  'console-test-token': {
    path: 'test-token',
    isWhole: true,
    prepare: async (page, { forgedToken }) => {
      await page.getByRole('textbox', { name: 'Token' }).fill(forgedToken)
      await page.getByRole('button', { name: 'Test', exact: true }).click()
      await page.getByText('What to do').waitFor()
    },
  },
  'console-identities': { path: 'identities' },
  'console-decisions': { path: 'decisions' },
  'console-account': { path: 'account', isWhole: true },
  'console-api-accounts': { path: 'organization/api-accounts' },
  'console-credentials': {
    path: 'organization/api-accounts/new',
    prepare: async (page) => {
      await page.getByRole('textbox', { name: 'Name' }).fill('release pipeline')
      await page.getByRole('combobox', { name: 'Identity provider' }).click()
      await page.getByRole('option', { name: /user pool/i }).click()
      await page.getByRole('button', { name: 'Add the account' }).click()
      await page.getByRole('button', { name: 'Download credentials.json' }).waitFor()
    },
  },
}

const ends: (() => Promise<unknown>)[] = []
try {
  const stage = await startConsole((end) => ends.push(end))
  const seeded = await seedRecords(stage.controller, stage.session)
  const wanted = process.argv.slice(2)
  for (const [name, picture] of Object.entries(PICTURES)) {
    if (wanted.length === 0 || wanted.includes(name))
      await take(await stage.open(picture.screen ?? DESKTOP), name, stage, seeded)
  }
} finally {
  for (const end of ends.toReversed()) await end()
}

async function take(visit: Visit, name: string, stage: ConsoleStage, seeded: Seeded): Promise<void> {
  const { path, isWhole = false, prepare } = PICTURES[name] as Picture
  await visit.goAsAdmin(typeof path === 'string' ? path : path(seeded))
  await visit.settle()
  await prepare?.(visit.page, seeded, stage)
  await visit.settle()
  await visit.page.evaluate('window.scrollTo(0, 0)')
  await visit.page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: isWhole })
  process.stdout.write(`${name}.png\n`)
  await visit.page.context().close()
}
