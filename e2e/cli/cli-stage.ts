import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createControllerStage } from '@countersign/testkit'
import { runCountersign } from './run-countersign.ts'

/** One controller with the local provider for all tests of a file, and an empty home directory for each test. */
export function createCliStage(t: Parameters<typeof createControllerStage>[0]) {
  const stage = createControllerStage(t)
  const started = stage.start({ args: ['--dev'] })
  let homes = 0

  async function setUp() {
    const controller = await started
    const home = join(stage.folder, `home-${homes++}`)
    mkdirSync(home)
    const { baseUrl, caFile, admin, dataDir } = controller.ready
    const password = admin.password ?? ''
    const run = (args: readonly string[], options: Parameters<typeof runCountersign>[2] = {}) =>
      runCountersign(home, args, options)
    const logIn = (more: readonly string[] = []) =>
      run(['login', baseUrl, '-u', 'admin', '--password-stdin', '--ca-file', caFile, ...more], {
        stdin: `${password}\n`,
      })
    return { controller, home, baseUrl, caFile, dataDir, password, run, logIn }
  }

  return { setUp }
}
