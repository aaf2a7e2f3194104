/** Runs tasks with the same key one after another; tasks with different keys run in parallel. A failed task does not block the next. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const mine = before.then(task, task)
    this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }
}
