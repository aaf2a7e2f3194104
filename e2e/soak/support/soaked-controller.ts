import { readFileSync } from 'node:fs'
import { createControllerStage, type ReadyController } from '@countersign/testkit'

/** The controller under load, and its address for the load generator. */
export interface SoakedController {
  readonly controller: ReadyController
  readonly target: { readonly port: number; readonly ca: string }
  /** Posts as the administrator. Returns the id of the created item. */
  create(path: string, body: unknown): Promise<string>
}

const MANAGEMENT = '/edge/management/v1'

/** Runs `work` against a new controller in development mode. */
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
