import { readFileSync } from 'node:fs'
import { createControllerStage, type ReadyController } from '@countersign/testkit'

/** A controller that is soaked, and what the load generator needs to reach it. */
export interface SoakedController {
  readonly controller: ReadyController
  readonly target: { readonly port: number; readonly ca: string }
  /** One call as the administrator; gives the id of what it made. */
  create(path: string, body: unknown): Promise<string>
}

const MANAGEMENT = '/edge/management/v1'

/** Runs `work` against a controller of its own in development mode. */
export async function withSoakedController(
  env: Readonly<Record<string, string>>,
  work: (soaked: SoakedController) => Promise<void>,
): Promise<void> {
  const cleanUp: (() => Promise<void>)[] = []
  const stage = createControllerStage({ after: (hook) => void cleanUp.push(hook) })
  try {
    const controller = await stage.start({ args: ['--dev', '--log-level', 'error'], env })
    const { baseUrl, caFile } = controller.ready
    const session = await controller.logIn()
    await work({
      controller,
      target: { port: Number(new URL(baseUrl).port), ca: readFileSync(caFile, 'utf8') },
      create: async (path, body) => {
        const { status, json, text } = await controller.request('POST', `${MANAGEMENT}/${path}`, { body, session })
        if (status >= 300) throw new Error(`POST ${path}: ${status} ${text}`)
        return json?.data?.id ?? ''
      },
    })
  } finally {
    for (const hook of cleanUp) await hook()
  }
}
