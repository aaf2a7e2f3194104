import type { RunningController } from '@countersign/server'
import type {
  ControllerClient,
} from '@countersign/sdk'

export function View(_: { running: RunningController; client: ControllerClient }) {
  return <p>It is imported from 'node:fs', says this text</p>
}
