import type { Call } from './command.ts'

type Task = () => Promise<void>

const tasksOf = new WeakMap<Call, Task[]>()

/** Runs `task` when the command has ended, also after an error. */
export function atEnd(call: Call, task: Task): void {
  tasksOf.set(call, [...(tasksOf.get(call) ?? []), task])
}

/** Runs the tasks of a command that has ended. Never throws: its result stands. */
export async function runEndTasks(call: Call): Promise<void> {
  for (const task of tasksOf.get(call) ?? []) await task().catch(() => {})
}
